#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/checks/predictive_check.h"
#include "app/posterior/checks/set_predictive_test.h"
#include "app/posterior/plots/nuisance_view.h"
#include "app/posterior/plots/posterior_plots.h"
#include "app/posterior/set/observed_set.h"
#include "app/posterior/source/refined_source.h"
#include "core/eval/evaluate/local_test.h"
#include "core/nuisance_posterior.h"
#include "core/train/run/run.h"

namespace pairs {

// The posteriors of one observed set by runs of one task and by references, at any embedded N. Depends only on runs,
// set and N. Belongs to one thread at a time.
class SetPosterior {
 public:
  // `runs`: at least one, the shown one first. Starts an embedding for runs without one.
  SetPosterior(std::shared_ptr<ObservedSet> set, std::vector<AskedRun> runs);

  const Task& task() const { return set_->task(); }
  ObservedSet& set() const { return *set_; }
  const std::vector<AskedRun>& runs() const { return runs_; }
  // The set sizes for which the shown run has heads; empty: all.
  std::vector<std::int64_t> sizes() const;
  // "simulated; a, b"
  std::string source_text() const;

  // The number of observations embedded by the shown run, and by all runs: later runs catch up.
  std::int64_t ready() const { return runs_.front().embedded->count(); }
  std::int64_t all_ready() const;
  // Embeds the next observations of the set, about as many as SampleAmounts states for its kind.
  void embed_next();

  // Continues until n observations are embedded; `keep_going()` false throws Stopped.
  void embed_until(std::int64_t n, const std::function<bool()>& keep_going = {});

  // Whether the references include the shown run's learned product.
  void ask_learned_product(bool ask) { learned_product_ = ask; }
  // Whether the references include the shown run's posterior refined by its learned likelihood, and whether it comes
  // before the run's own. It takes seconds; `keep_going` false throws Stopped. A null refiner leaves it out; where an
  // outdated comparison is why, the answers warn of it.
  void refine_by(std::shared_ptr<const Refiner> refiner, SourceWish wish, std::function<bool()> keep_going = {},
                 std::uint64_t seed = kFigureSeed);

  // The posteriors at n <= ready(); without `references`, only those of runs.
  PosteriorAnswer answer(std::int64_t n, bool references = true) const;
  // All warnings shown with an answer: from reading the set, from the answer, and on typicality, each sentence once.
  std::vector<PosteriorWarning> all_warnings(const PosteriorAnswer& answer) const;
  // `draws` samples of the shown run. Throws Error if it has no posterior, or one that is not finite.
  torch::Tensor samples(const PosteriorAnswer& answer, std::int64_t draws, std::uint64_t seed) const;
  // A plot of the first observations; images that show θ include the shown run's 90 % interval (dashed) and median
  // around the true ψ, except for a file, whose ψ is unknown.
  Figure picture(const PosteriorAnswer& at, const SampleView& view) const;
  // Tests the calibration of the shown run's posterior near the first n <= ready() observations
  // (core/eval/evaluate/local_test.h).
  LocalTest local_test(std::int64_t n, const LocalTestOptions& options) const;
  // Tests whether the first n <= ready() observations resemble simulations at a sample of the shown run's posterior,
  // with and without outliers; a brief test uses a sample of the exact posterior if the task knows it. Throws Error as
  // predictive_sets does.
  SetPredictiveTest predictive_test(std::int64_t n, const PredictiveOptions& options) const;
  // Compares each of the first n <= ready() observations with the model by itself, by the shown run's learned
  // likelihood. Throws Error, a clause, if the posterior of the set cannot be refined; Stopped once `keep_going`
  // returns false.
  SingleObservations singles(std::int64_t n, const Refiner& refiner, std::uint64_t seed,
                             const std::function<bool()>& keep_going = {}) const;
  // Posterior standard deviations at n from all runs and references that have them.
  std::vector<WidthPoint> widths(std::int64_t n) const;

  // p(ψ | θ, X) of the first n observations; null if the task does not know it. It is needed for the predictive check
  // of the shown run (null without its posterior) and for the posterior of ψ by the run and the exact posterior (null
  // without either).
  std::unique_ptr<NuisancePosterior> nuisances(std::int64_t n) const;
  std::shared_ptr<const PredictiveCheck> check(const PosteriorAnswer& at, const NuisancePosterior& nuisances,
                                               const SampleView& view) const;
  std::shared_ptr<const NuisanceView> nuisance_view(const PosteriorAnswer& at, const NuisancePosterior& nuisances,
                                                    NuisanceAxes& axes) const;

 private:
  AskedSet asked_set(std::int64_t n) const;
  torch::Tensor exact_draw(std::int64_t n, std::uint64_t seed) const;
  // `trusted`: computes typicality and an ensemble's disagreement, which take longest.
  void ask_runs(std::int64_t n, PosteriorAnswer& answer, bool trusted = true) const;
  std::vector<TargetNumbers> numbers_of(const AskedSet& set) const;
  // In set_posterior_far.cpp: the set without some of its observations x; the search for outliers relative to the
  // posterior without them; whether the rest fits; and its posterior.
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
  std::shared_ptr<const Refiner> refiner_;
  SourceWish wish_ = SourceWish::run;
  std::function<bool()> keep_refining_;
  std::uint64_t refine_seed_ = kFigureSeed;
  std::string outdated_;   // a warning that the refined posterior is missing by
  bool confined_ = false;  // no density lies outside the targets' ranges
};

}  // namespace pairs
