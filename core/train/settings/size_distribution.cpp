#include "core/train/settings/size_distribution.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// The scale on which sizes of a distribution are uniform, from 0 at 1 to 1 at `end`, and the size at a place on it.
double place_of(SizeDistribution distribution, double size, double end) {
  if (distribution == SizeDistribution::log_uniform) return std::log(size) / std::log(end);
  if (distribution == SizeDistribution::root_uniform) return (std::sqrt(size) - 1) / (std::sqrt(end) - 1);
  return (size - 1) / (end - 1);
}
double size_of(SizeDistribution distribution, double place, double end) {
  if (distribution == SizeDistribution::log_uniform) return std::exp(place * std::log(end));
  if (distribution == SizeDistribution::uniform) return 1 + place * (end - 1);
  const double root = 1 + place * (std::sqrt(end) - 1);
  return root * root;
}

}  // namespace

SizeDistribution size_distribution(const std::string& name) {
  if (name == "list") return SizeDistribution::list;
  if (name == "log-uniform") return SizeDistribution::log_uniform;
  if (name == "uniform") return SizeDistribution::uniform;
  PAIRS_CHECK(name == "root-uniform", "{} is log-uniform, root-uniform, uniform or list, not \"{}\"",
              "finetune.size_distribution"_key, name);
  return SizeDistribution::root_uniform;
}

std::int64_t size_at(SizeDistribution distribution, double u, std::int64_t most) {
  PAIRS_CHECK(distribution != SizeDistribution::list, "a list of sizes has no quantiles");
  return std::min(most, static_cast<std::int64_t>(size_of(distribution, u, static_cast<double>(most) + 1)));
}

double size_probability(SizeDistribution distribution, std::int64_t n, std::int64_t next, std::int64_t most) {
  PAIRS_CHECK(distribution != SizeDistribution::list, "a list of sizes has no intervals");
  const double end = static_cast<double>(most) + 1;
  return place_of(distribution, static_cast<double>(next), end) - place_of(distribution, static_cast<double>(n), end);
}

}  // namespace pairs
