#include "core/eval/calibration/regions.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"
#include "core/eval/metrics/cells.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostRegions = 10, kFewestInOne = 20;
constexpr double kOff = 0.05;

}  // namespace

double binomial_p(std::int64_t inside, std::int64_t sets, double share) {
  const auto n = static_cast<double>(sets), k = static_cast<double>(inside);
  const double most = inside >= sets ? 1 : boost::math::ibetac(k + 1, n - k, share);
  const double least = inside <= 0 ? 1 : boost::math::ibeta(k, n - k + 1, share);
  return std::min(1.0, 2 * std::min(most, least));
}

std::vector<Region> regions(std::span<const double> means, std::span<const double> ranks, std::int64_t samples) {
  PAIRS_CHECK(means.size() == ranks.size(), "{} means and {} ranks are not of the same sets.", means.size(),
              ranks.size());
  const auto sets = static_cast<std::int64_t>(means.size());
  const std::int64_t count = std::min(kMostRegions, sets / kFewestInOne);
  if (count < 2 || samples < 1) return {};
  std::vector<std::size_t> order(means.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return means[a] < means[b]; });
  std::vector<Region> out;
  for (std::int64_t b = 0; b < count; ++b) {
    const std::int64_t first = b * sets / count, last = (b + 1) * sets / count;
    const auto mean_at = [&](std::int64_t i) { return means[order[static_cast<std::size_t>(i)]]; };
    Region region{mean_at(first), mean_at((first + last) / 2), mean_at(last - 1), last - first, {}, {}};
    for (std::size_t l = 0; l < kIntervalLevels.size(); ++l) {
      for (std::int64_t i = first; i < last; ++i)
        region.inside[l] += std::fabs(2 * ranks[order[static_cast<std::size_t>(i)]] - 1) <= kIntervalLevels[l] + 1e-12;
      region.p_value[l] =
          binomial_p(region.inside[l], region.sets, central_coverage_of_uniform(samples, kIntervalLevels[l]));
    }
    out.push_back(region);
  }
  return out;
}

RegionTest region_test(const std::vector<std::vector<Region>>& of_targets) {
  RegionTest test;
  double least = 1;
  for (const std::vector<Region>& of_target : of_targets)
    for (const Region& region : of_target) {
      const double p = *std::min_element(region.p_value.begin(), region.p_value.end());
      least = std::min(least, p);
      test.off += std::any_of(region.p_value.begin(), region.p_value.end(), [](double one) { return one < kOff; });
      test.tests += static_cast<std::int64_t>(region.p_value.size());
    }
  test.p_value = test.tests == 0 ? NAN : -std::expm1(static_cast<double>(test.tests) * std::log1p(-least));
  if (least >= 1) test.p_value = test.tests == 0 ? NAN : 1;
  return test;
}

}  // namespace pairs
