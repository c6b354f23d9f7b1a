#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/hub/posterior_page.h"
#include "app/model/posterior/posterior_files.h"
#include "app/model/posterior/posterior_following.h"
#include "app/model/posterior/posterior_options.h"
#include "app/model/posterior/posterior_pins.h"
#include "app/model/posterior/posterior_set.h"
#include "app/model/posterior/posterior_sets.h"
#include "app/model/posterior/shown/shown_posterior.h"

namespace pairs::model {

struct SetInquiries;

// The posterior of one observed set at any N, by one run and by others of its task, next to the exact posterior.
// Everything is computed in the background, the latest request first.
class Posterior : public PosteriorPage {
  std::unique_ptr<PosteriorState> state_;

 public:
  explicit Posterior(Hub& hub);
  ~Posterior() override;
  void accept(PosteriorPageVisitor& visitor) override { visitor.visit(*this); }
  Posterior(const Posterior&) = delete;
  Posterior& operator=(const Posterior&) = delete;

  // Its parts, by the widgets that show them.
  PosteriorSet set{*state_};
  PosteriorSets sets{*state_};
  PosteriorFollowing follow{*state_};
  PosteriorPins pins{*state_};
  PosteriorOptions options{*state_};
  PosteriorFiles files{*state_};

  // Shows a run: a folder, or a task's name for its shipped weights; empty: none. Runs of the same task share the
  // observed set.
  void open(const std::string& run) override;
  void close() override { open(""); }
  const std::string& run() const;
  // Rereads the runs, e.g. after training or a change of the data folder.
  void reload() override;
  // Sets other runs of the same task to draw as well.
  void set_others(std::vector<std::string> runs);
  const std::vector<std::string>& others() const;
  // Chooses the next set from the prior.
  void new_set() override;
  std::shared_ptr<const Task> data_task() const override;
  std::optional<std::string> open_data(const LookedPath& looked) override;
  Question question() const override;
  void restore(const Question& question) override;
  // Shows what a question asks beside its set, N and runs: intervals, references, derived quantities, another prior and
  // pinned posteriors.
  void restore_extras(const Question& question);
  // The largest N.
  std::int64_t most() const;

  // Null before the run is loaded.
  std::shared_ptr<const PosteriorScene> scene() const;
  // The newest snapshot, perhaps of another N than n(); null before the first.
  std::shared_ptr<const PosteriorSnapshot> shown() const;
  // Posterior standard deviation against N, with a line at the shown N; null until available.
  std::shared_ptr<const Figure> width() const;
  // Simulations at posterior samples of (θ, ψ) over the observed data, and the posterior of ψ. Null if the task does
  // not know p(ψ | θ, X), and until available.
  std::shared_ptr<const PredictiveCheck> check() const;
  std::shared_ptr<const NuisanceView> nuisance() const;
  // The first n observations, for tasks without a check.
  std::shared_ptr<const Figure> observed() const;
  // Share of the observed set that is embedded, 0 to 1.
  double embedded() const;
  // Why the run cannot be shown: a sentence or "".
  const std::string& failure() const;

  // The command that draws the same figure; empty while values set by hand are pending.
  std::string batch_command() const;
  // Further analyses of the posterior of files.samples_asked().
  SetInquiries& inquiries() const;
  // The key of their answers for the shown posterior: run, set and N.
  std::string inquiry_key() const;

  // Takes over finished background work and advances a playing N. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  // The current background activity, "" at rest.
  std::string activity() const;
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

 private:
  bool take_answers();
  void test_unasked();
  void test_again();
  void show_again();
  bool can_choose_n() const override;
  void n_chosen() override;
  bool ready() const override;
  void follow_player() override;
};

}  // namespace pairs::model
