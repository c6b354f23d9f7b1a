#include "core/base/numbers/fast_normal.h"

#include <algorithm>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

PAIRS_SIMD_CLONES void pairs_of_items(std::uint64_t key, const std::uint32_t* __restrict c1,
                                      const std::uint32_t* __restrict c2, const std::uint32_t* __restrict c3,
                                      std::int64_t count, float* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const PhiloxBlock w = philox(key, 0, c1[i], c2[i], c3[i]);
    const NormalPair n = box_muller(w.v[0], w.v[1]);
    out[2 * i] = n.first;
    out[2 * i + 1] = n.second;
  }
}

PAIRS_SIMD_CLONES void normal_uniform_of_items(std::uint64_t key, const std::uint32_t* __restrict c1,
                                               const std::uint32_t* __restrict c2, const std::uint32_t* __restrict c3,
                                               std::int64_t count, float* __restrict normal,
                                               float* __restrict uniform) {
  for (std::int64_t i = 0; i < count; ++i) {
    const PhiloxBlock w = philox(key, 0, c1[i], c2[i], c3[i]);
    normal[i] = box_muller(w.v[0], w.v[1]).first;
    uniform[i] = static_cast<float>(static_cast<std::int32_t>(w.v[2] >> 8)) * 0x1p-24f;  // unit_float, vectorizable
  }
}

PAIRS_SIMD_CLONES void blocks_of_item(std::uint64_t key, std::uint32_t first_block, std::uint32_t c1, std::uint32_t c2,
                                      std::uint32_t c3, std::int64_t count, float* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const PhiloxBlock w = philox(key, first_block + static_cast<std::uint32_t>(i), c1, c2, c3);
    const NormalPair a = box_muller(w.v[0], w.v[1]), b = box_muller(w.v[2], w.v[3]);
    out[4 * i] = a.first;
    out[4 * i + 1] = a.second;
    out[4 * i + 2] = b.first;
    out[4 * i + 3] = b.second;
  }
}

// The third counter word of Stream.
std::uint32_t high_word(std::uint64_t set, std::uint64_t item) {
  return static_cast<std::uint32_t>((set >> 32) << 16) ^ static_cast<std::uint32_t>(item >> 32);
}

}  // namespace

void fill_normals(std::uint64_t key, std::uint64_t set, std::uint64_t first_item, std::int64_t count,
                  std::int64_t normals_per_item, float* out) {
  const std::int64_t whole = normals_per_item / 4, rest = normals_per_item % 4;
  const auto c2 = static_cast<std::uint32_t>(set);
  for (std::int64_t i = 0; i < count; ++i, out += normals_per_item) {
    const std::uint64_t item = first_item + static_cast<std::uint64_t>(i);
    const auto c1 = static_cast<std::uint32_t>(item);
    blocks_of_item(key, 0, c1, c2, high_word(set, item), whole, out);
    if (rest > 0) {
      float last[4];
      blocks_of_item(key, static_cast<std::uint32_t>(whole), c1, c2, high_word(set, item), 1, last);
      std::copy_n(last, rest, out + 4 * whole);
    }
  }
}

void ItemCounters::append(std::uint64_t set, std::uint64_t first, std::int64_t count) {
  PAIRS_CHECK(count >= 0 && count_ + count <= capacity, "{} items do not fit behind {} of {} counters", count, count_,
              capacity);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t item = first + static_cast<std::uint64_t>(i);
    c1_[count_ + i] = static_cast<std::uint32_t>(item);
    c2_[count_ + i] = static_cast<std::uint32_t>(set);
    c3_[count_ + i] = high_word(set, item);
  }
  count_ += count;
}

void fill_normal_pairs(std::uint64_t key, const ItemCounters& items, float* out) {
  pairs_of_items(key, items.c1_, items.c2_, items.c3_, items.count_, out);
}

void fill_normal_uniform(std::uint64_t key, const ItemCounters& items, float* normal, float* uniform) {
  normal_uniform_of_items(key, items.c1_, items.c2_, items.c3_, items.count_, normal, uniform);
}

}  // namespace pairs
