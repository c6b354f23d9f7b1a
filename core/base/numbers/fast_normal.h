#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/base/numbers/random.h"

namespace pairs {

// Two independent standard normals.
struct NormalPair {
  float first, second;
};

namespace detail {
PAIRS_HOST_DEVICE inline std::uint32_t float_bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
PAIRS_HOST_DEVICE inline float bits_float(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
}  // namespace detail

// Box and Muller's transform of two random words in float32, by polynomials (Cephes' logf, sinf, cosf), so that
// compilers vectorize it and every instruction set gives the same bits. Relative error about 2e-7; the radius word has
// 31 bits, so |normal| <= 6.67 (probability beyond: 3e-11).
PAIRS_HOST_DEVICE inline NormalPair box_muller(std::uint32_t radius_word, std::uint32_t angle_word) {
  const auto k = static_cast<std::int32_t>(radius_word >> 1);
  const float u = static_cast<float>(k) * 0x1p-31f + 0x1p-32f;
  const std::uint32_t bits = detail::float_bits(u);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - 0x3f3504f3u) >> 23;
  const float mantissa = detail::bits_float(bits - (static_cast<std::uint32_t>(exponent) << 23));
  // Near u = 1 float32 cannot hold u, but it holds 1 - u: small radii keep their digits.
  const float rest = static_cast<float>(0x7fffffff - k) * 0x1p-31f + 0x1p-32f;
  const float f = exponent == 0 ? -rest : mantissa - 1.0f;
  const float f2 = f * f, e = static_cast<float>(exponent);
  float log_u = 7.0376836292e-2f;
  log_u = log_u * f - 1.1514610310e-1f;
  log_u = log_u * f + 1.1676998740e-1f;
  log_u = log_u * f - 1.2420140846e-1f;
  log_u = log_u * f + 1.4249322787e-1f;
  log_u = log_u * f - 1.6668057665e-1f;
  log_u = log_u * f + 2.0000714765e-1f;
  log_u = log_u * f - 2.4999993993e-1f;
  log_u = log_u * f + 3.3333331174e-1f;
  log_u = log_u * f * f2 - 2.12194440e-4f * e - 0.5f * f2;
  log_u = (log_u + f) + 0.693359375f * e;
  const float squared = -2.0f * log_u;
  const float radius = std::sqrt(squared > 0.0f ? squared : 0.0f);

  const std::uint32_t quadrant = (angle_word + 0x20000000u) >> 30;
  const float r = static_cast<float>(static_cast<std::int32_t>(angle_word - (quadrant << 30))) *
                  1.4629180792671596e-9f;  // 2 pi / 2^32
  const float z = r * r;
  const float sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  const float cosine =
      ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
  const std::uint32_t swap = 0u - (quadrant & 1u);
  const std::uint32_t s = detail::float_bits(sine), c = detail::float_bits(cosine);
  const float c_out = detail::bits_float(((c & ~swap) | (s & swap)) ^ (((quadrant + 1u) & 2u) << 30));
  const float s_out = detail::bits_float(((s & ~swap) | (c & swap)) ^ ((quadrant & 2u) << 30));
  return {radius * c_out, radius * s_out};
}

// Standard normals of the items first_item .. first_item + count - 1 of the set `set`: normal j of an item is made by
// box_muller from words 2 floor(j / 2) and 2 floor(j / 2) + 1 of Stream(key, set, item), independent of the range. out
// [count, normals_per_item]. Runs on the calling thread.
void fill_normals(std::uint64_t key, std::uint64_t set, std::uint64_t first_item, std::int64_t count,
                  std::int64_t normals_per_item, float* out);

// Philox counters of a run of items, one lane each, so that short and long ranges of many sets fill the same vectors.
class ItemCounters {
 public:
  static constexpr std::int64_t capacity = 512;
  void clear() { count_ = 0; }
  std::int64_t count() const { return count_; }
  // Appends items first .. first + count - 1 of a set; the total must not exceed capacity.
  void append(std::uint64_t set, std::uint64_t first, std::int64_t count);

 private:
  friend void fill_normal_pairs(std::uint64_t key, const ItemCounters& items, float* out);
  friend void fill_normal_uniform(std::uint64_t key, const ItemCounters& items, float* normal, float* uniform);
  std::int64_t count_ = 0;
  std::uint32_t c1_[capacity], c2_[capacity], c3_[capacity];
};

// Fills the normals of fill_normals with normals_per_item = 2 -> out [items.count(), 2].
void fill_normal_pairs(std::uint64_t key, const ItemCounters& items, float* out);

// One normal (words 0 and 1) and one uniform in [0, 1) (word 2) per item.
void fill_normal_uniform(std::uint64_t key, const ItemCounters& items, float* normal, float* uniform);

}  // namespace pairs
