#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/posterior/question/source_wish.h"
#include "app/posterior/source/posterior_source.h"
#include "core/eval/evaluate/made_scores.h"
#include "core/likelihood/refined_posterior.h"
#include "core/likelihood/single_observations.h"
#include "core/train/run/run.h"
#include "core/train/stages/refined_density.h"
#include "core/train/stages/source_choice.h"

namespace pairs {

// A posterior that a run's learned likelihood refined, with what is known of its samples.
struct RefinedSource {
  PosteriorSource source;
  std::shared_ptr<const RefinedPosterior> posterior;
};

// Why a run's posteriors cannot be refined, a clause; "" if they can. Without looking at a set.
std::string not_refined(const LoadedRun& run);

// Whether a run compared its posteriors with and without its likelihood, so that either may come first
// (core/train/stages/source_choice.h). A damaged file of the likelihood has not.
bool compared_sources(const LoadedRun& run);

// A warning if the run compared its posteriors, but with other weights than it has now, so that none comes first by
// that comparison; "" else.
std::string outdated_comparison(const LoadedRun& run);

// A warning where a local test or confidence intervals, which are of the run's own posterior, put that in the place of
// the refined one, which would come first at N = n; "" elsewhere. Throws Error if a file of the likelihood is damaged.
std::string own_in_place_of_refined(const LoadedRun& run, std::int64_t n);

// Changes when a run's likelihood, or its comparison of posteriors, is another; "" if the run has no likelihood.
std::string likelihood_stamp(const LoadedRun& run);

// The likelihood in a run's folder, by which posteriors of any number of sets are refined, by several threads at once.
class Refiner {
 public:
  // Throws Error, a clause, if the run has no likelihood, or if its observations are not independent.
  explicit Refiner(const LoadedRun& run);
  Refiner(RunLikelihood known, std::optional<SourceChoice> choice, std::shared_ptr<const Task> task)
      : known_(std::move(known)), choice_(std::move(choice)), task_(std::move(task)) {}

  const TaskInfo& info() const { return task_->info(); }
  // Whether the refined posterior is wanted at N = n, and whether it comes first.
  bool wanted(SourceWish wish, std::int64_t n) const;
  bool first(SourceWish wish, std::int64_t n) const;
  // Why it comes first, a sentence: "The refined posterior comes first: at N = 100 it gains 0.31 ± 0.05 nat …".
  std::string why_first(SourceWish wish, std::int64_t n) const;
  // The seconds that a posterior of n observations is expected to take, from a measurement of about 10 ms on this
  // machine when this is first asked.
  double expected_seconds(std::int64_t n) const;
  // The refined posterior of the observations x [N, ...] with conditions [1, g] or undefined. `start`: samples θ [S, d]
  // of the run's own posterior, or undefined. `sequential_pairs`: RefineOptions::sequential_pairs. Throws Error, a
  // clause, if the samples cannot be used; Stopped once `keep_going` returns false.
  RefinedSource source(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                       std::uint64_t seed, const std::function<bool()>& keep_going = {},
                       double sequential_pairs = kPairsOfASet) const;
  // Compares each of these observations with the model by itself (core/likelihood/single_observations.h). Throws as
  // `source` does.
  SingleObservations singles(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                             std::uint64_t seed, const std::function<bool()>& keep_going = {}) const;

 private:
  RunLikelihood known_;
  std::optional<SourceChoice> choice_;
  std::shared_ptr<const Task> task_;
  mutable std::once_flag measured_;
  mutable double pace_ = 0;  // seconds an observation
};

// The Refiner of a run for this wish. With SourceWish::best null if the run has no likelihood, if its observations are
// not independent, or if its posteriors were not compared. Where the refined one is asked for by name, throws a usage
// Error if the run has no likelihood, and an Error if that refines no set. Throws Error if a file of it is damaged.
std::shared_ptr<const Refiner> refiner_of(const LoadedRun& run, SourceWish wish);
// What asks for the refined posterior in a command: "--refine", or "--source refined".
const char* source_option(SourceWish wish);

// The refined posterior as a density to score on test sets, the first `sets` of each size. Throws as refined_source
// does, but for sets that have no density.
MadeDensity refined_density(const LoadedRun& run, std::int64_t sets, const std::function<bool()>& keep_going = {});

// "Refined by the learned likelihood: 1,390 effective samples, Pareto k = 0.12, …".
std::string refined_text(const RefinedPosterior& posterior, std::int64_t n);

// {"effective", "pareto_k" (null if "sequential"), "halves", "members", "power", "log_evidence", "log_evidence_se",
// "log_evidence_range"}
nlohmann::json refined_document(const RefinedPosterior& posterior);

// A warning if the refined posterior contradicts the run's own, a sentence; "" if they agree. A posterior from less of
// the data is wider, and its mean is apart from the sharper one's by no more than the difference of their variances
// explains.
std::string disagreement_with_run(const RefinedPosterior& refined, const torch::Tensor& mean, const torch::Tensor& sd,
                                  const TaskInfo& info);

}  // namespace pairs
