#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

struct GaussianSettings {
  std::string convention = "precision";  // the meaning of the Wishart prior: see make_gaussian
  std::vector<Field> fields();
};

// Bivariate Gaussian (docs/explanation/tasks.md, "Bivariate Gaussian"): x ~ N(θ, ψ) with a conjugate prior on (θ, ψ),
// where θ is to be inferred and ψ is the covariance. `convention` is the meaning of the Wishart prior: "precision"
// (default, also ""), "covariance" (inverse Wishart with scale W) or "literal" (Wishart on ψ itself: no exact
// posterior). Others are usage errors.
std::shared_ptr<const Task> make_gaussian(const std::string& convention);

}  // namespace pairs
