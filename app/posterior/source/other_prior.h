#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"
#include "core/eval/metrics/cells.h"
#include "core/prior_family.h"
#include "core/task.h"

namespace pairs {

// Another prior for some targets, each independent of everything else, that replaces the training prior.
class OtherPrior {
 public:
  // `texts`: "theta = normal(0.2, 0.05)" (prior_family); the name is optional for a single target. `learned`: the
  // training prior in the same form, for tasks that do not provide its density; it must fit 4,096 of the task's draws
  // (Kolmogorov–Smirnov, p >= 0.001). Default: uniform between the target's bounds. Throws a usage error, also if the
  // prior density of these targets is unknown.
  OtherPrior(std::shared_ptr<const Task> task, const std::vector<std::string>& texts,
             const std::vector<std::string>& learned);

  const Task& task() const { return *task_; }
  // "θ ~ normal(0.2, 0.05)"
  const std::string& text() const { return text_; }
  // The log ratio of its density to the training prior at theta [S, d] float64 -> [S]; minus infinity where either is
  // zero.
  torch::Tensor log_ratio(const torch::Tensor& theta) const;
  // Samples θ [S, d], of which targets that keep their prior are as they are, and the others are drawn from their new
  // ones, where the training prior is not zero.
  torch::Tensor samples(const torch::Tensor& theta, std::uint64_t key) const;
  // Its probability of values where the training prior is zero.
  double outside() const { return outside_; }

 private:
  struct Part {
    std::int64_t target;
    std::shared_ptr<const PriorFamily> now, learned;  // learned: null if the task knows its prior
  };
  std::shared_ptr<const Task> task_;
  std::vector<Part> parts_;
  bool known_ = false;  // the task provides its prior's density
  std::string text_;
  double outside_ = 0;
};

// The parts of one typed line: "theta = beta(2, 8); psi = normal(1, 1); training theta = normal(0, 1)".
struct PriorTexts {
  std::vector<std::string> now, learned;  // the arguments of OtherPrior
};
PriorTexts prior_texts(const std::string& line);
std::string prior_line(const PriorTexts& texts);
// The tables (.csv) that such a line names.
std::vector<std::filesystem::path> prior_files(const std::string& line);
// The prior that such a line names; null if it names none.
std::shared_ptr<const OtherPrior> other_prior(std::shared_ptr<const Task> task, const std::string& line);

// A posterior under another prior: samples with the weights new / old prior density.
struct ReweighedPosterior {
  std::string prior;       // OtherPrior::text
  std::int64_t draws = 0;  // kDerivedDraws, or those of one that was made anew
  double effective = 0;    // effective sample size, (Σw)² / Σw²
  double evidence = 0;     // p(X | new prior) / p(X | old prior), from the density, else the mean weight
  double outside = 0;      // OtherPrior::outside
  std::shared_ptr<const UnderPrior> made = {};  // made anew under the prior, rather than by weights; or null
  std::string not_anew = {};                    // why it could not be made anew, though the source can be, a clause
  std::vector<TargetNumbers> targets;           // of the weighted samples; empty if all weights are zero
  std::vector<TargetNumbers> density;  // for one target: from its density times the prior ratio, on a grid; else empty
};

// With an effective sample size below this, the numbers come with a warning.
inline constexpr double kFewEffective = 200;

// Makes the posterior of a source anew under the prior where it can be, and else reweights its samples and density.
// Depends only on the source and the priors. Throws Stopped once `keep_going` returns false.
ReweighedPosterior reweighed(const OtherPrior& prior, const PosteriorSource& source,
                             const std::function<bool()>& keep_going = {});
// Weights of samples [S, d] -> [S] float64 with mean 1; all zero if the new prior excludes every sample.
torch::Tensor prior_weights(const OtherPrior& prior, const torch::Tensor& samples);

// The result as a sentence; its caveats as sentences; and a sentence on the unchanged prior of ψ, or "".
std::string reweighed_text(const ReweighedPosterior& answer, const TaskInfo& info,
                           IntervalKind interval = IntervalKind::central);
std::vector<std::string> reweighed_warnings(const ReweighedPosterior& answer);
std::string unchanged_text(const TaskInfo& info, bool anew = false);
// {"prior", "draws", "effective", "evidence_ratio", "log_evidence_ratio"?, "log_evidence_ratio_se"?, "outside", "mean",
// "sd", "quantiles", "intervals", "density"?, "anew", "unchanged", "text"}; those of the evidence if it was made anew.
nlohmann::json reweighed_document(const ReweighedPosterior& answer, const TaskInfo& info, IntervalKind interval);

}  // namespace pairs
