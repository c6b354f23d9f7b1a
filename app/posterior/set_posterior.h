#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/nuisance_view.h"
#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_answer.h"
#include "app/posterior/posterior_plots.h"
#include "app/posterior/predictive_check.h"
#include "app/posterior/set_predictive_test.h"
#include "core/eval/local_test.h"
#include "core/nuisance_posterior.h"
#include "core/train/run.h"

namespace pairs {

// What runs of one task know of one observed set, at any N that is embedded: their posteriors beside the references.
// All of it is a function of runs, set and N. Belongs to one thread at a time.
class SetPosterior {
 public:
  // `runs`: one at least, the shown one first. Those without an embedding begin one.
  SetPosterior(std::shared_ptr<ObservedSet> set, std::vector<AskedRun> runs);

  const Task& task() const { return set_->task(); }
  ObservedSet& set() const { return *set_; }
  const std::vector<AskedRun>& runs() const { return runs_; }
  // The set sizes that the shown run has heads for; all when empty.
  std::vector<std::int64_t> sizes() const;
  // "simulated; a, b"
  std::string source_text() const;

  // Observations that the shown run has embedded, and that all have: runs that come later catch up.
  std::int64_t ready() const { return runs_.front().embedded->count(); }
  std::int64_t all_ready() const;
  // Embeds the next observations of the set, about as many as its kind's SampleAmounts say.
  void embed_next();

  // The same until n observations are embedded; `keep_going()` false throws Stopped.
  void embed_until(std::int64_t n, const std::function<bool()>& keep_going = {});

  // Asks the shown run for the learned product as well, among the references.
  void ask_learned_product(bool ask) { learned_product_ = ask; }

  // The posteriors at n <= ready(); without `references` those of runs alone.
  PosteriorAnswer answer(std::int64_t n, bool references = true) const;
  // All that is shown with an answer: what reading the set had to say, the answer's warnings, and that the set is
  // unlike training, each sentence once.
  std::vector<PosteriorWarning> all_warnings(const PosteriorAnswer& answer) const;
  // `draws` samples of the shown run. Throws Error where it has no posterior, or that is not finite.
  torch::Tensor samples(const PosteriorAnswer& answer, std::int64_t draws, std::uint64_t seed) const;
  // The first observations, and on images that show θ the shown run's interval of 90 % (dashed) and its median about
  // the true ψ; nothing is drawn on a file's, whose ψ nobody knows.
  Figure picture(const PosteriorAnswer& at, const SampleView& view) const;
  // Whether the shown run's posterior of the first n <= ready() observations is off (core/eval/local_test.h).
  LocalTest local_test(std::int64_t n, const LocalTestOptions& options) const;
  // Whether the first n <= ready() observations look like sets that the model makes at a draw of the shown run's
  // posterior, and what it says without those that lie far; a brief test draws from the exact posterior where the task
  // knows it. Throws Error as predictive_sets does.
  SetPredictiveTest predictive_test(std::int64_t n, const PredictiveOptions& options) const;
  // Posterior sd at n by all that know it.
  std::vector<WidthPoint> widths(std::int64_t n) const;

  // p(ψ | θ, X) of the first n observations; null where the task does not know it, and then there are neither of these:
  // the predictive check by the shown run (null without its posterior), and the posterior of ψ by it and the exact one
  // (null without either).
  std::unique_ptr<NuisancePosterior> nuisances(std::int64_t n) const;
  std::shared_ptr<const PredictiveCheck> check(const PosteriorAnswer& at, const NuisancePosterior& nuisances,
                                               const SampleView& view) const;
  std::shared_ptr<const NuisanceView> nuisance_view(const PosteriorAnswer& at, const NuisancePosterior& nuisances,
                                                    NuisanceAxes& axes) const;

 private:
  AskedSet asked_set(std::int64_t n) const;
  torch::Tensor exact_draw(std::int64_t n, std::uint64_t seed) const;
  // `trusted`: with where the aggregate stands and how far an ensemble's members differ, which take longest.
  void ask_runs(std::int64_t n, PosteriorAnswer& answer, bool trusted = true) const;
  std::vector<TargetNumbers> numbers_of(const AskedSet& set) const;
  // set_posterior_far.cpp: a set without some of its observations x; the observations that lie far from what its
  // posterior without them makes; whether what is left fits; and its posterior.
  AskedSet asked_without(const AskedSet& asked, const Observations& x, const std::vector<std::int64_t>& rows) const;
  void seek_far(const AskedSet& asked, const Observations& x, const PredictiveOptions& options,
                SetPredictiveTest& test) const;
  void judge_left(const AskedSet& asked, const Observations& x, const PredictiveOptions& options,
                  SetPredictiveTest& test) const;
  void leave_out_far(const AskedSet& asked, const Observations& x, SetPredictiveTest& test) const;
  void ask_references(std::int64_t n, PosteriorAnswer& answer) const;
  void ask_product(std::int64_t n, PosteriorAnswer& answer) const;

  std::shared_ptr<ObservedSet> set_;
  std::vector<AskedRun> runs_;
  bool learned_product_ = false;
  bool confined_ = false;  // no density lies outside the targets' ranges
};

}  // namespace pairs
