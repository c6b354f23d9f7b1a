#include "core/train/size_law.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace pairs {
namespace {

// The scale on which sizes of a law are uniform, from 0 at 1 to 1 at `end`, and the size at a place on it.
double place_of(SizeLaw law, double size, double end) {
  if (law == SizeLaw::log_uniform) return std::log(size) / std::log(end);
  if (law == SizeLaw::root_uniform) return (std::sqrt(size) - 1) / (std::sqrt(end) - 1);
  return (size - 1) / (end - 1);
}
double size_of(SizeLaw law, double place, double end) {
  if (law == SizeLaw::log_uniform) return std::exp(place * std::log(end));
  if (law == SizeLaw::uniform) return 1 + place * (end - 1);
  const double root = 1 + place * (std::sqrt(end) - 1);
  return root * root;
}

}  // namespace

SizeLaw size_law(const std::string& name) {
  if (name == "list") return SizeLaw::list;
  if (name == "log-uniform") return SizeLaw::log_uniform;
  if (name == "uniform") return SizeLaw::uniform;
  PAIRS_CHECK(name == "root-uniform", "{} is log-uniform, root-uniform, uniform or list, not \"{}\"",
              "finetune.law"_key, name);
  return SizeLaw::root_uniform;
}

std::int64_t size_at(SizeLaw law, double u, std::int64_t most) {
  PAIRS_CHECK(law != SizeLaw::list, "a list of sizes has no quantiles");
  return std::min(most, static_cast<std::int64_t>(size_of(law, u, static_cast<double>(most) + 1)));
}

double size_probability(SizeLaw law, std::int64_t n, std::int64_t next, std::int64_t most) {
  PAIRS_CHECK(law != SizeLaw::list, "a list of sizes has no intervals");
  const double end = static_cast<double>(most) + 1;
  return place_of(law, static_cast<double>(next), end) - place_of(law, static_cast<double>(n), end);
}

}  // namespace pairs
