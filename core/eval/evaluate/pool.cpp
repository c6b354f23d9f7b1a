#include "core/eval/evaluate/pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {

PoolBootstrap::PoolBootstrap(std::int64_t replicates, std::uint64_t seed)
    : replicates_(replicates), key_(stream_key(seed, Purpose::check)) {
  PAIRS_CHECK(replicates >= 2, "A bootstrap needs two replicates or more; {} were asked for.", replicates);
}

void PoolBootstrap::begin(std::int64_t sets) {
  sets_ = sets;
  sums_.clear();
}

torch::Tensor PoolBootstrap::moves(const torch::Tensor& member) const {
  const std::int64_t count = member.size(0);
  torch::Tensor out = torch::empty({count, replicates_}, torch::kFloat64);
  const auto* members = member.const_data_ptr<std::int64_t>();
  auto* to = out.mutable_data_ptr<double>();
  at::parallel_for(0, count, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Stream stream(key_, static_cast<std::uint64_t>(members[i]));
      std::uint32_t bits = 0;
      for (std::int64_t b = 0; b < replicates_; ++b, bits >>= 1) {
        if (b % 32 == 0) bits = stream.bits();
        to[i * replicates_ + b] = bits & 1 ? kMove : -kMove;
      }
    }
  });
  return out.t();
}

void PoolBootstrap::add(const torch::Tensor& embeddings, const torch::Tensor& set, const PoolDraws& draws) {
  const std::int64_t rows = embeddings.size(0);
  PAIRS_CHECK(set.numel() == rows && draws.member.numel() == rows && draws.stratum.numel() == rows,
              "{} embeddings do not fit {} sets, {} members and {} strata.", rows, set.numel(), draws.member.numel(),
              draws.stratum.numel());
  const auto* sets = set.const_data_ptr<std::int64_t>();
  const torch::Tensor strata = draws.stratum.to(torch::kCPU, torch::kInt64).contiguous();
  const auto* stratum = strata.const_data_ptr<std::int64_t>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) order[static_cast<std::size_t>(i)] = i;
  const auto slot = [&](std::int64_t i) { return std::pair(sets[i], stratum[i]); };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return slot(a) < slot(b); });
  const torch::Tensor sorted = torch::tensor(order, torch::kInt64);
  const torch::Tensor values = embeddings.to(torch::kCPU, torch::kFloat64).index_select(0, sorted);
  const torch::Tensor moved = moves(draws.member.to(torch::kCPU, torch::kInt64).index_select(0, sorted));
  for (std::int64_t begin = 0, end = 0; begin < rows; begin = end) {
    const auto here = slot(order[static_cast<std::size_t>(begin)]);
    PAIRS_CHECK(here.first >= 0 && here.first < sets_, "Set {} is none of {}.", here.first, sets_);
    while (end < rows && slot(order[static_cast<std::size_t>(end)]) == here) ++end;
    Sums& sums = sums_[here];
    if (sums.count == 0) {
      sums.moved = torch::zeros({replicates_, values.size(1)}, torch::kFloat64);
      sums.moves = torch::zeros({replicates_}, torch::kFloat64);
      sums.plain = torch::zeros({values.size(1)}, torch::kFloat64);
    }
    const torch::Tensor part = values.slice(0, begin, end), weights = moved.slice(1, begin, end);
    sums.moved.addmm_(weights, part);
    sums.moves.add_(weights.sum(1));
    sums.plain.add_(part.sum(0));
    sums.count += end - begin;
  }
}

torch::Tensor PoolBootstrap::aggregates(const torch::Tensor& plain) const {
  PAIRS_CHECK(plain.size(0) == sets_, "{} aggregates do not fit {} sets.", plain.size(0), sets_);
  torch::Tensor shift = torch::zeros({sets_, replicates_, plain.size(1)}, torch::kFloat64);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(sets_), 0);
  for (const auto& [slot, sums] : sums_) counts[static_cast<std::size_t>(slot.first)] += sums.count;
  for (const auto& [slot, sums] : sums_) {
    if (sums.count < 2) continue;
    // Deviations are relative to the set's own mean, which reduces them by 1 - 1 / count on average.
    const auto count = static_cast<double>(sums.count);
    const torch::Tensor centered = sums.moved - sums.moves.unsqueeze(1) * (sums.plain / count);
    shift[slot.first] +=
        centered * (count / (count - 1) / static_cast<double>(counts[static_cast<std::size_t>(slot.first)]));
  }
  return plain.to(torch::kCPU, torch::kFloat64).unsqueeze(1) + shift;
}

double both_pools(std::int64_t pool, std::int64_t trained) {
  return trained > 0 ? std::sqrt(1 + static_cast<double>(pool) / static_cast<double>(trained)) : 1;
}

double pool_location_sd(const torch::Tensor& ranks) {
  PAIRS_CHECK(ranks.dim() == 2 && ranks.size(0) >= 2 && ranks.size(1) >= 2,
              "The pool's share of ranks needs two sets and two replicates or more.");
  const auto sets = static_cast<double>(ranks.size(0));
  const double all = ranks.mean(0).var().item<double>(), own = ranks.var(1).mean().item<double>() / sets;
  return std::sqrt(std::max(0.0, (all - own) * sets / (sets - 1))) / PoolBootstrap::kMove;
}

std::int64_t pool_sets(std::int64_t sets, std::int64_t n, std::int64_t pool) {
  constexpr std::int64_t kFewest = 500, kMost = 4000;
  return std::min(sets, std::clamp(10 * pool / n, kFewest, kMost));
}

}  // namespace pairs
