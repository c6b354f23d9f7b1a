#include "app/runs/learned_product.h"

#include <fmt/format.h>

namespace pairs {

std::string no_learned_product(const LoadedRun& run) {
  if (std::string why = no_learned_product(*run.estimator); !why.empty()) return why;
  return extrapolates(run, 1) ? fmt::format("{} was not trained at N = 1", run.name) : "";
}

}  // namespace pairs
