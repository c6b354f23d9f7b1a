#include "core/ops/activation_rows.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers/simd.h"
#include "core/ops/vector_loop.h"

namespace pairs::ops {
namespace {

// e^-|x| as in Cephes' expf. The bound on |x| compares bits, which vectorizes without special cases.
inline float exp_of_minus_size(float x) {
  const float a = float_of(std::min(bits_of(x) & 0x7fffffff, 0x42ae0000));  // at most 87
  const float shifted = std::fma(a, -1.44269504088896341f, 12582912.0f);    // rounds to an integer in the low bits
  const float n = shifted - 12582912.0f;
  const float r = std::fma(n, 2.12194440e-4f, std::fma(n, -0.693359375f, -a));
  float p = 1.9875691500e-4f;
  p = std::fma(p, r, 1.3981999507e-3f);
  p = std::fma(p, r, 8.3334519073e-3f);
  p = std::fma(p, r, 4.1665795894e-2f);
  p = std::fma(p, r, 1.6666665459e-1f);
  p = std::fma(p, r, 5.0000001201e-1f);
  p = std::fma(p, r * r, r) + 1.0f;
  return float_of(bits_of(p) + static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_of(shifted)) << 23));
}

// 1 / (1 + e^-x).
inline float sigmoid(float x) {
  const float e = exp_of_minus_size(x);
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// ln((1 + e^x) / 2) from e = e^-|x|: ln(1 + e) = 2 artanh(s) with s = e / (2 + e), at most 1/3, by its series.
inline float softplus_of(float x, float e) {
  const float s = e / (2.0f + e), q = s * s;
  float p = 2.0f / 15.0f;
  p = std::fma(p, q, 2.0f / 13.0f);
  p = std::fma(p, q, 2.0f / 11.0f);
  p = std::fma(p, q, 2.0f / 9.0f);
  p = std::fma(p, q, 2.0f / 7.0f);
  p = std::fma(p, q, 2.0f / 5.0f);
  p = std::fma(p, q, 2.0f / 3.0f);
  p = std::fma(p, q, 2.0f);
  return (x < 0.0f ? 0.0f : x) + std::fma(p, s, -0.693147180559945f);
}

}  // namespace

PAIRS_SIMD_CLONES void relu_rows(const float* in, float* out, std::int64_t count) {
  PAIRS_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] < 0.0f ? 0.0f : in[i];
}

namespace {

PAIRS_SIMD_CLONES void silu_plain(const float* in, float* out, std::int64_t count) {
  PAIRS_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] * sigmoid(in[i]);
}

PAIRS_SIMD_CLONES void silu_slope(const float* in, float* out, float* slope, std::int64_t count) {
  PAIRS_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = in[i], s = sigmoid(x), y = x * s;
    out[i] = y;
    slope[i] = std::fma(y, 1.0f - s, s);
  }
}

}  // namespace

void silu_rows(const float* in, float* out, float* slope, std::int64_t count) {
  if (slope == nullptr)
    silu_plain(in, out, count);
  else
    silu_slope(in, out, slope, count);
}

namespace {

PAIRS_SIMD_CLONES void softplus_plain(const float* in, float* out, std::int64_t count) {
  PAIRS_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) out[i] = softplus_of(in[i], exp_of_minus_size(in[i]));
}

PAIRS_SIMD_CLONES void softplus_slope(const float* in, float* out, float* slope, std::int64_t count) {
  PAIRS_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = in[i], e = exp_of_minus_size(x);
    out[i] = softplus_of(x, e);
    slope[i] = (x < 0.0f ? e : 1.0f) / (1.0f + e);
  }
}

}  // namespace

void softplus_rows(const float* in, float* out, float* slope, std::int64_t count) {
  if (slope == nullptr)
    softplus_plain(in, out, count);
  else
    softplus_slope(in, out, slope, count);
}

PAIRS_SIMD_CLONES void relu_grad_rows(const float* grad, const float* activated, const float* base, float* out,
                                      std::int64_t count) {
  if (base == nullptr) {
    PAIRS_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = activated[i] > 0.0f ? grad[i] : 0.0f;
  } else {
    PAIRS_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = base[i] + (activated[i] > 0.0f ? grad[i] : 0.0f);
  }
}

PAIRS_SIMD_CLONES void scale_grad_rows(const float* grad, const float* slope, const float* base, float* out,
                                       std::int64_t count) {
  if (base == nullptr) {
    PAIRS_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = grad[i] * slope[i];
  } else {
    PAIRS_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = base[i] + grad[i] * slope[i];
  }
}

PAIRS_SIMD_CLONES void column_sums(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t columns,
                                   float* out) {
  constexpr std::int64_t kWidth = 64, kRun = 64;  // runs of rows are summed separately, to limit rounding errors
  for (std::int64_t first = 0; first < columns; first += kWidth) {
    const std::int64_t width = std::min(kWidth, columns - first);
    float total[kWidth] = {};
    for (std::int64_t begin = 0; begin < rows; begin += kRun) {
      float sum[kWidth] = {};
      const std::int64_t end = std::min(begin + kRun, rows);
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t j = 0; j < width; ++j) sum[j] += x[row * ldx + first + j];
      for (std::int64_t j = 0; j < width; ++j) total[j] += sum[j];
    }
    std::copy_n(total, width, out + first);
  }
}

}  // namespace pairs::ops
