#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/metrics.h"

namespace pairs {
namespace {

constexpr std::uint64_t kOrders = std::uint64_t{1} << 40;  // index of the streams that break ties
constexpr int kLevels = 100;                               // 0, 1/99, ..., 1, as in acauc()

// For each number of samples below the truth, the first level whose central interval contains the truth.
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

// The place of each test's rank in its target's order, 0 .. n - 1, with ties in random order -> [d][n].
std::vector<std::vector<std::uint32_t>> places(const torch::Tensor& ranks, std::uint64_t key) {
  const torch::Tensor host = ranks.to(torch::kCPU, torch::kFloat64).contiguous();
  const std::int64_t n = host.size(0), targets = host.size(1);
  const double* r = host.const_data_ptr<double>();
  std::vector<std::vector<std::uint32_t>> out;
  for (std::int64_t d = 0; d < targets; ++d) {
    Stream stream(key, kOrders, static_cast<std::uint64_t>(d));
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::int64_t i = 0; i < n; ++i) order.emplace_back(r[i * targets + d], stream.bits());
    std::vector<std::uint32_t> sorted(static_cast<std::size_t>(n));
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return order[a] < order[b]; });
    std::vector<std::uint32_t> place(sorted.size());
    for (std::uint32_t k = 0; k < sorted.size(); ++k) place[sorted[k]] = k;
    out.push_back(std::move(place));
  }
  return out;
}

std::int64_t scaled(std::uint32_t bits, std::int64_t count) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(bits) * static_cast<std::uint64_t>(count)) >> 32);
}

// The mean area over targets in one simulated evaluation.
class Simulation {
 public:
  Simulation(const torch::Tensor& ranks, std::int64_t samples, std::uint64_t key)
      : tests_(ranks.size(0)), samples_(samples), first_(first_levels(samples)) {
    if (ranks.size(1) > 1) places_ = places(ranks, key);
  }

  double operator()(std::uint64_t key, std::int64_t replica) const {
    if (places_.empty()) {
      Stream stream(key, static_cast<std::uint64_t>(replica), 0);
      std::array<std::int64_t, kLevels> counts{};
      // Truth and samples are exchangeable: the number of samples below the truth is uniform on 0..S.
      for (std::int64_t i = 0; i < tests_; ++i)
        ++counts[first_[static_cast<std::size_t>(scaled(stream.bits(), samples_ + 1))]];
      return area(counts, tests_);
    }
    Stream stream(key, static_cast<std::uint64_t>(replica), 0);
    std::vector<std::array<std::int64_t, kLevels>> counts(places_.size());
    for (std::int64_t i = 0; i < tests_; ++i) {
      const auto set = static_cast<std::size_t>(scaled(stream.bits(), tests_));
      for (std::size_t d = 0; d < places_.size(); ++d) {
        const double u = (places_[d][set] + 0x1p-32 * stream.bits()) / static_cast<double>(tests_);
        const auto k = std::min(samples_, static_cast<std::int64_t>(u * static_cast<double>(samples_ + 1)));
        ++counts[d][first_[static_cast<std::size_t>(k)]];
      }
    }
    double total = 0;
    for (const auto& one : counts) total += area(one, tests_);
    return total / static_cast<double>(counts.size());
  }

 private:
  std::int64_t tests_, samples_;
  std::vector<std::uint8_t> first_;
  std::vector<std::vector<std::uint32_t>> places_;  // empty for one target
};

}  // namespace

NoiseFloor acauc_noise_floor(const torch::Tensor& ranks, std::int64_t samples, std::int64_t checks,
                             std::uint64_t seed) {
  PAIRS_CHECK(
      ranks.dim() == 2 && ranks.size(0) >= 1 && ranks.size(1) >= 1 && samples >= 1 && checks >= 1 && samples <= 1 << 24,
      "A noise floor needs the ranks of at least one test and target, at least one sample and check, and no "
      "more than 2^24 samples; got {} ranks, {} samples and {} checks.",
      ranks.numel(), samples, checks);
  // At least 50 replicas exceed the corrected percentile for up to 20 checks; for more, the percentile becomes coarser.
  const std::int64_t replicas = std::clamp<std::int64_t>(1000 * checks, 4000, 20000);
  const std::uint64_t key = stream_key(seed, Purpose::check);
  const Simulation simulation(ranks, samples, key);
  std::vector<double> areas(static_cast<std::size_t>(replicas));
  at::parallel_for(0, replicas, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) areas[static_cast<std::size_t>(r)] = simulation(key, r);
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
