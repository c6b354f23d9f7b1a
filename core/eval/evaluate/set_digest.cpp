#include "core/eval/evaluate/set_digest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/text/error.h"

namespace pairs {
namespace {

std::uint64_t digest_step(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t z = (hash ^ word) + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Rounds to twelve significant bits.
std::uint64_t rounded_bits(double value) {
  if (!std::isfinite(value) || value == 0) return 0;
  int exponent = 0;
  const double share = std::round(std::frexp(value, &exponent) * 4096);
  return std::bit_cast<std::uint64_t>(std::ldexp(share, exponent));
}

}  // namespace

std::uint16_t set_digest(const torch::Tensor& theta, const Observations& first) {
  std::uint64_t hash = 0;
  const torch::Tensor parameters = theta.to(torch::kCPU, torch::kFloat32).contiguous().view({-1});
  const float* value = parameters.const_data_ptr<float>();
  for (std::int64_t i = 0; i < parameters.numel(); ++i)
    hash = digest_step(hash, std::bit_cast<std::uint32_t>(value[i] + 0.0f));
  const torch::Tensor numbers =
      (first.is_ragged() ? first.rows() : first.block()).to(torch::kCPU, torch::kFloat64).contiguous().view({-1});
  const double* x = numbers.const_data_ptr<double>();
  double sum = 0, waved = 0;
  for (std::int64_t i = 0; i < numbers.numel(); ++i) {
    sum += x[i];
    waved += x[i] * static_cast<double>(i % 13 - 6);
  }
  hash = digest_step(hash, static_cast<std::uint64_t>(numbers.numel()));
  hash = digest_step(hash, rounded_bits(sum));
  hash = digest_step(hash, rounded_bits(waved));
  return static_cast<std::uint16_t>(hash >> 48);
}

void SetDigests::add(const Observations& x, const std::vector<ChunkPart>& parts) {
  for (const ChunkPart& part : parts) {
    Observations& first = first_.at(static_cast<std::size_t>(part.set));
    if (first.defined() || part.end == part.begin) continue;
    const torch::Tensor which = torch::tensor(std::vector<std::int64_t>{part.begin}, torch::kInt64);
    first = x.pick(which).to(torch::kCPU);
  }
}

void SetDigests::finish(const torch::Tensor& theta, std::vector<std::uint16_t>& digests) const {
  for (std::size_t i = 0; i < first_.size(); ++i) {
    PAIRS_CHECK(first_[i].defined(), "Nothing was seen of test set {}", i);
    digests.push_back(set_digest(theta[static_cast<std::int64_t>(i)], first_[i]));
  }
}

std::vector<std::uint16_t> first_digests(const Task& task, std::uint64_t seed, std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, 1});
  const Latents latents = task.latents(seed, Purpose::test, indices);
  const Observations x = task.observe(latents, seed, Purpose::test, ranges, torch::kCPU);
  std::vector<std::uint16_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(set_digest(latents.theta[i], x.slice(i, i + 1)));
  return out;
}

std::size_t shared_sets(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  const std::size_t both = std::min(a.size(), b.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < both; ++i) same += a[i] == b[i] ? 1 : 0;
  return 20 * same >= 19 * both ? both : 0;
}

}  // namespace pairs
