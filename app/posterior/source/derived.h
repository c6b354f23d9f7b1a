#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"
#include "core/base/numbers/expression.h"
#include "core/eval/metrics/cells.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// A quantity derived from the targets: "ratio = theta/psi".
class DerivedQuantity {
 public:
  // Parses "NAME = EXPRESSION" in the names of the targets (core/base/numbers/expression.h). Throws a usage error.
  DerivedQuantity(const std::string& text, const std::vector<std::string>& targets);

  const std::string& name() const { return name_; }
  const std::string& expression() const { return written_; }
  // "ratio = theta/psi"
  std::string text() const { return name_ + " = " + written_; }
  // Its value at each sample of θ [S, d] -> [S] float64; infinite or NaN where undefined.
  torch::Tensor values(const torch::Tensor& draws) const;

 private:
  std::string name_, written_;
  Expression expression_;
};

// Parses such texts, whose names must differ. Throws a usage error.
std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& targets);
// Parses them for a task's targets. Throws a usage error, also if the target is an image.
std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts, const TaskInfo& info);
// The names of a task's targets.
std::vector<std::string> target_names(const TaskInfo& info);

// The posterior of a derived quantity, from those of kDerivedDraws samples at which it is finite.
struct DerivedNumbers {
  std::string name, expression;
  std::string source;  // "PAIRS", "exact", ...
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  TargetNumbers numbers;  // NaN if fewer than two samples are finite
  double undefined = 0;   // share of samples at which it is undefined
};
inline constexpr std::int64_t kDerivedDraws = 4000;

// Ordered by quantity, then by source: runs and the exact posterior. Depends only on the sources. Expressions see
// values of periodic targets in one piece, beyond the range if need be (core/periodic.h).
std::vector<DerivedNumbers> derived_numbers(const std::vector<DerivedQuantity>& quantities,
                                            const std::vector<PosteriorSource>& sources,
                                            const std::vector<Target>& targets);

// "1.2 % of the draws have no finite theta/psi and are left out"; "" if all have.
std::string undefined_text(const DerivedNumbers& numbers);

}  // namespace pairs
