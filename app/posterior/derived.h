#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/posterior_source.h"
#include "core/base/expression.h"
#include "core/eval/cells.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// A number that follows from the targets: "ratio = theta/psi".
class DerivedQuantity {
 public:
  // Of "NAME = EXPRESSION" in the names of the targets (core/base/expression.h). Throws a usage error.
  DerivedQuantity(const std::string& text, const std::vector<std::string>& targets);

  const std::string& name() const { return name_; }
  const std::string& expression() const { return written_; }
  // "ratio = theta/psi"
  std::string text() const { return name_ + " = " + written_; }
  // Its value at every draw of θ [S, d] -> [S] float64; infinite or not a number where it is not defined.
  torch::Tensor values(const torch::Tensor& draws) const;

 private:
  std::string name_, written_;
  Expression expression_;
};

// Of such texts, each another name. Throws a usage error.
std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& targets);
// Of a task's targets. Throws a usage error, also where its target is an image.
std::vector<DerivedQuantity> derived_quantities(const std::vector<std::string>& texts, const TaskInfo& info);
// The names of a task's targets.
std::vector<std::string> target_names(const TaskInfo& info);

// What a posterior says of a derived quantity: the numbers of those of kDerivedDraws draws at which it is finite.
struct DerivedNumbers {
  std::string name, expression;
  std::string source;  // "PAIRS", "exact", ...
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  TargetNumbers numbers;  // NaN where fewer than two draws are finite
  double undefined = 0;   // share of the draws at which it is not
};
inline constexpr std::int64_t kDerivedDraws = 4000;

// By quantity, and within each by source: those of runs and of the exact posterior. A function of the sources alone.
std::vector<DerivedNumbers> derived_numbers(const std::vector<DerivedQuantity>& quantities,
                                            const std::vector<PosteriorSource>& sources);

// "1.2 % of the draws have no finite theta/psi and are left out"; "" where all have.
std::string undefined_text(const DerivedNumbers& numbers);

}  // namespace pairs
