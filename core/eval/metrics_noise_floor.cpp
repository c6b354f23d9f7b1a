#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/eval/metrics.h"

namespace pairs {
namespace {

constexpr int kLevels = 100;  // 0, 1/99, ..., 1, as in acauc()

// For each number of samples below the truth, the first level whose central interval holds the truth.
std::vector<std::uint8_t> first_levels(std::int64_t samples) {
  std::vector<std::uint8_t> first(static_cast<std::size_t>(samples) + 1);
  for (std::int64_t k = 0; k <= samples; ++k) {
    const double width = std::fabs(2.0 * static_cast<double>(k) / static_cast<double>(samples) - 1);
    int level = std::max(0, static_cast<int>(width * (kLevels - 1)) - 1);
    while (level < kLevels - 1 && width > static_cast<double>(level) / (kLevels - 1) + 1e-12) ++level;
    first[k] = static_cast<std::uint8_t>(level);
  }
  return first;
}

double area(const std::array<std::int64_t, kLevels>& counts, std::int64_t tests) {
  double area = 0, previous = 0;
  std::int64_t covered = 0;
  for (int i = 0; i < kLevels; ++i) {
    covered += counts[i];
    const double gap = std::fabs(static_cast<double>(covered) / tests - static_cast<double>(i) / (kLevels - 1));
    if (i > 0) area += (previous + gap) / 2 / (kLevels - 1);
    previous = gap;
  }
  return area;
}

}  // namespace

NoiseFloor acauc_noise_floor(std::int64_t n_test, std::int64_t samples, std::int64_t targets, std::int64_t checks,
                             std::uint64_t seed) {
  PAIRS_CHECK(n_test >= 1 && samples >= 1 && targets >= 1 && checks >= 1 && samples <= 1 << 24,
              "A noise floor needs at least one test, sample, target and check, and no more than 2^24 samples; got {}, "
              "{}, {} and {}.",
              n_test, samples, targets, checks);
  // 50 replicas or more beyond the corrected percentile, up to 20 checks; beyond that the percentile becomes coarser.
  const std::int64_t replicas = std::clamp<std::int64_t>(1000 * checks, 4000, 20000);
  const std::vector<std::uint8_t> first = first_levels(samples);
  const std::uint64_t key = stream_key(seed, Purpose::check);
  std::vector<double> areas(static_cast<std::size_t>(replicas));
  at::parallel_for(0, replicas, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      double total = 0;
      for (std::int64_t d = 0; d < targets; ++d) {
        Stream stream(key, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(d));
        std::array<std::int64_t, kLevels> counts{};
        // Truth and samples are exchangeable: how many samples lie below the truth is uniform on 0..S.
        for (std::int64_t i = 0; i < n_test; ++i)
          ++counts[first[(static_cast<std::uint64_t>(stream.bits()) * static_cast<std::uint64_t>(samples + 1)) >> 32]];
        total += area(counts, n_test);
      }
      areas[r] = total / static_cast<double>(targets);
    }
  });
  NoiseFloor floor{0, 0};
  for (const double a : areas) floor.mean += a / static_cast<double>(replicas);
  std::sort(areas.begin(), areas.end());
  const double place = (1 - 0.05 / static_cast<double>(checks)) * static_cast<double>(replicas - 1);
  const auto low = static_cast<std::size_t>(place), high = std::min(low + 1, areas.size() - 1);
  floor.p95 = areas[low] + (place - static_cast<double>(low)) * (areas[high] - areas[low]);
  return floor;
}

}  // namespace pairs
