#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/posterior/source/posterior_source.h"
#include "core/eval/evaluate/made_scores.h"
#include "core/likelihood/refined_posterior.h"
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

// Whether a run has compared its posteriors with and without its likelihood, so that either may come first. Throws
// Error if a file of the likelihood is damaged.
bool compared_sources(const LoadedRun& run);

// Throws an Error if a run cannot refine any set: a usage error if it has no likelihood, else if that is damaged, or if
// its observations are not independent. `option`: what asked for it.
void check_refinable(const LoadedRun& run, const char* option = "--refine");

// Words for the posterior that comes first: the better one at that N, where the run compared them
// (core/train/stages/source_choice.h), the run's own alone, or the refined one.
namespace source_word {
inline constexpr const char *kBest = "best", *kRun = "run", *kRefined = "refined";
}

// The likelihood in a run's folder, by which posteriors of any number of sets are refined, by several threads at once.
class Refiner {
 public:
  // Throws Error, a clause, if the run has no likelihood, or if its observations are not independent.
  explicit Refiner(const LoadedRun& run);

  const TaskInfo& info() const { return task_->info(); }
  // Whether the refined posterior comes first at N = n, by a source_word.
  bool first(const std::string& source, std::int64_t n) const;
  // Why, a sentence: "Refined by the learned likelihood, since …; --source run shows the run's own posterior".
  std::string why_first(const std::string& source, std::int64_t n) const;
  // The refined posterior of the observations x [N, ...] with conditions [1, g] or undefined. `start`: samples θ [S, d]
  // of the run's own posterior, or undefined. Throws Error, a clause, if the samples cannot be used; Stopped once
  // `keep_going` returns false.
  RefinedSource source(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                       std::uint64_t seed, const std::function<bool()>& keep_going = {}) const;

 private:
  RunLikelihood known_;
  std::optional<SourceChoice> choice_;
  std::shared_ptr<const Task> task_;
};

// The Refiner of a run if the refined posterior may come first by a source_word; null if the run has no likelihood, if
// it is refused, or if the two were not compared. Throws as Refiner does where the refined one is asked for by name.
std::shared_ptr<const Refiner> refiner_of(const LoadedRun& run, const std::string& source);

// The refined posterior as a density to score on test sets, the first `sets` of each size. Throws as refined_source
// does, but for sets that have no density.
MadeDensity refined_density(const LoadedRun& run, std::int64_t sets, const std::function<bool()>& keep_going = {});

// "Refined by the learned likelihood: 1,390 effective samples, Pareto k = 0.12, …".
std::string refined_text(const RefinedPosterior& posterior, std::int64_t n);

// {"effective", "pareto_k", "halves", "members"}
nlohmann::json refined_document(const RefinedPosterior& posterior);

// A warning if the refined posterior contradicts the run's own, a sentence; "" if they agree. A posterior from less of
// the data is wider, and its mean is apart from the sharper one's by no more than the difference of their variances
// explains.
std::string disagreement_with_run(const RefinedPosterior& refined, const torch::Tensor& mean, const torch::Tensor& sd,
                                  const TaskInfo& info);

}  // namespace pairs
