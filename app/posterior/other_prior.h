#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/posterior_source.h"
#include "core/eval/cells.h"
#include "core/eval/prior_family.h"
#include "core/task.h"

namespace pairs {

// Another prior of some targets, each independent of all else, in place of the one that a run learnt under.
class OtherPrior {
 public:
  // `texts`: "theta = normal(0.2, 0.05)" (prior_family), the name left out where there is one target. `learnt`: the
  // same of the prior that the task draws from, for tasks that do not provide its density: 4,096 of its draws must pass
  // for it (Kolmogorov and Smirnov, p >= 0.001); without, for uniform between the target's ends. Throws a usage error,
  // also where the density of the prior of these targets is not known.
  OtherPrior(std::shared_ptr<const Task> task, const std::vector<std::string>& texts,
             const std::vector<std::string>& learnt);

  const Task& task() const { return *task_; }
  // "θ ~ normal(0.2, 0.05)"
  const std::string& text() const { return text_; }
  // Its log density over that of the prior that was learnt under at theta [S, d] float64 -> [S]; minus infinity where
  // either is zero.
  torch::Tensor log_ratio(const torch::Tensor& theta) const;
  // The probability that it gives to values where the run's prior has none.
  double outside() const { return outside_; }

 private:
  struct Part {
    std::int64_t target;
    std::shared_ptr<const PriorFamily> now, learnt;  // learnt: null where the task knows its prior
  };
  std::shared_ptr<const Task> task_;
  std::vector<Part> parts_;
  bool known_ = false;  // the task provides its prior's density
  std::string text_;
  double outside_ = 0;
};

// What a person writes in one line: "theta = beta(2, 8); psi = normal(1, 1); learnt theta = normal(0, 1)".
struct PriorTexts {
  std::vector<std::string> now, learnt;  // as OtherPrior takes them
};
PriorTexts prior_texts(const std::string& line);

// A posterior under another prior: draws with the weights new / old prior density.
struct ReweighedPosterior {
  std::string prior;       // OtherPrior::text
  std::int64_t draws = 0;  // kDerivedDraws
  double effective = 0;    // effective sample size, (Σw)² / Σw²
  double evidence = 0;     // p(X | new prior) / p(X | old prior): of the density, else the mean of the weights
  double outside = 0;      // OtherPrior::outside
  std::vector<TargetNumbers> targets;  // of the weighted draws; none where no draw has weight
  std::vector<TargetNumbers> density;  // of one target: of its density times the ratio of priors, on a grid; else none
};

// With an effective sample size below this, the numbers come with a warning.
inline constexpr double kFewEffective = 200;

// Of a posterior with a density. A function of the source and the priors alone.
ReweighedPosterior reweighed(const OtherPrior& prior, const PosteriorSource& source);
// Weights of samples [S, d] -> [S] float64, their mean 1; all zero where the new prior allows none of them.
torch::Tensor prior_weights(const OtherPrior& prior, const torch::Tensor& samples);

// What it says, a sentence; what is to be known before it is believed, sentences; and what no weights can change: a
// sentence on the prior of ψ, or "".
std::string reweighed_text(const ReweighedPosterior& answer, const TaskInfo& info);
std::vector<std::string> reweighed_warnings(const ReweighedPosterior& answer);
std::string unchanged_text(const TaskInfo& info);
// {"prior", "draws", "effective", "evidence_ratio", "outside", "mean", "sd", "quantiles", "intervals", "density"?,
// "unchanged", "text"}.
nlohmann::json reweighed_document(const ReweighedPosterior& answer, const TaskInfo& info, IntervalKind interval);

}  // namespace pairs
