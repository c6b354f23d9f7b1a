#include "core/sets/permutation.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::uint64_t kTabled = 4096;

struct TabledOrder {
  std::uint64_t key = 0;
  std::vector<std::uint16_t> order;
};

// Cached for the last few that this thread used, the latest first.
const TabledOrder& tabled_order(std::uint64_t key, std::uint64_t n) {
  thread_local std::array<TabledOrder, 4> kept;
  const auto found = std::find_if(kept.begin(), kept.end() - 1,
                                  [&](const TabledOrder& one) { return one.order.size() == n && one.key == key; });
  std::rotate(kept.begin(), found, found + 1);
  TabledOrder& last = kept.front();
  if (last.order.size() == n && last.key == key) return last;
  last.key = key;
  last.order.resize(n);
  for (std::uint64_t i = 0; i < n; ++i) last.order[i] = static_cast<std::uint16_t>(i);
  Stream stream(stream_key(key, Purpose::order), n);
  for (std::uint64_t i = n; i > 1; --i) std::swap(last.order[i - 1], last.order[stream.below(i)]);
  return last;
}

}  // namespace

std::uint64_t permuted(std::uint64_t key, std::uint64_t n, std::uint64_t position) {
  PAIRS_CHECK(position < n, "There is no position {} in an order of {}", position, n);
  if (n < kTabled) return tabled_order(key, n).order[position];
  int half = 1;
  while ((1ull << (2 * half)) < n) ++half;
  const std::uint64_t mask = (1ull << half) - 1;
  std::uint64_t x = position;
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const PhiloxBlock b =
          philox(key, static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(right >> 32), round, 0x5045524du);
      const std::uint64_t mixed = (left ^ b.v[0]) & mask;
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= n);
  return x;
}

}  // namespace pairs
