#include "core/train/size_law.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace pairs {

SizeLaw size_law(const std::string& name) {
  if (name == "list") return SizeLaw::list;
  if (name == "log-uniform") return SizeLaw::log_uniform;
  PAIRS_CHECK(name == "root-uniform", "finetune.law is log-uniform, root-uniform or list, not \"{}\"", name);
  return SizeLaw::root_uniform;
}

std::int64_t size_at(SizeLaw law, double u, std::int64_t most) {
  PAIRS_CHECK(law != SizeLaw::list, "a list of sizes has no quantiles");
  const double end = static_cast<double>(most) + 1;
  const double root = 1 + u * (std::sqrt(end) - 1);
  const double size = law == SizeLaw::log_uniform ? std::exp(u * std::log(end)) : root * root;
  return std::min(most, static_cast<std::int64_t>(size));
}

double size_probability(SizeLaw law, std::int64_t n, std::int64_t next, std::int64_t most) {
  PAIRS_CHECK(law != SizeLaw::list, "a list of sizes has no intervals");
  const auto below = [&](std::int64_t size) {
    const double x = static_cast<double>(size), end = static_cast<double>(most) + 1;
    return law == SizeLaw::log_uniform ? std::log(x) / std::log(end) : (std::sqrt(x) - 1) / (std::sqrt(end) - 1);
  };
  return below(next) - below(n);
}

}  // namespace pairs
