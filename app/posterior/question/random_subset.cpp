#include "app/posterior/question/random_subset.h"

#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/sets/permutation.h"

namespace pairs {

namespace {

// `size` of the numbers 0 .. count - 1.
std::vector<std::int64_t> drawn_numbers(std::int64_t count, std::int64_t size, std::uint64_t seed) {
  PAIRS_CHECK(size >= 0 && size <= count, "{} observations cannot be drawn from {}", size, count);
  const std::uint64_t key = stream_key(seed, Purpose::order);
  std::vector<std::int64_t> which(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < size; ++k)
    which[static_cast<std::size_t>(k)] =
        static_cast<std::int64_t>(permuted(key, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(k)));
  return which;
}

}  // namespace

Observations random_subset(const Observations& x, std::int64_t size, std::uint64_t seed) {
  return x.pick(torch::tensor(drawn_numbers(x.count(), size, seed), torch::kInt64));
}

Observations random_subset(ObservedRows& rows, std::int64_t size, std::uint64_t seed) {
  return rows.pick(drawn_numbers(rows.count(), size, seed));
}

}  // namespace pairs
