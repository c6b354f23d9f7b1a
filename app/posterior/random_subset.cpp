#include "app/posterior/random_subset.h"

#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/streams.h"
#include "core/sets/permutation.h"

namespace pairs {

Observations random_subset(const Observations& x, std::int64_t size, std::uint64_t seed) {
  PAIRS_CHECK(size >= 0 && size <= x.count(), "{} observations cannot be drawn from {}", size, x.count());
  const std::uint64_t key = stream_key(seed, Purpose::order);
  std::vector<std::int64_t> which(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < size; ++k)
    which[static_cast<std::size_t>(k)] =
        static_cast<std::int64_t>(permuted(key, static_cast<std::uint64_t>(x.count()), static_cast<std::uint64_t>(k)));
  return x.pick(torch::tensor(which, torch::kInt64));
}

}  // namespace pairs
