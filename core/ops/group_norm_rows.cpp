#include "core/ops/group_norm_rows.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers/simd.h"
#include "core/ops/vector_loop.h"

namespace pairs::ops {
namespace {

inline float get(float x) {
  return x;
}
inline float get(BFloat16Bits x) {
  return float_of(static_cast<std::int32_t>(static_cast<std::uint32_t>(x.bits) << 16));
}
inline void put(float& out, float x) {
  out = x;
}
// To nearest, ties to even.
inline void put(BFloat16Bits& out, float x) {
  const auto bits = static_cast<std::uint32_t>(bits_of(x));
  out.bits = static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// e^-|x| for |x| bounded by 87, from a polynomial of 2^f - 1 for |f| <= 1/2 (minimax; relative error 2e-7, or 1e-4
// where the result is rounded to bfloat16).
template <class T>
inline float decay(float x) {
  const float a = float_of(std::min(bits_of(x) & 0x7fffffff, 0x42ae0000));
  const float shifted = std::fma(a, -1.44269504088896341f, 12582912.0f);  // rounds to an integer in the low bits
  const float n = shifted - 12582912.0f;
  float p;
  if constexpr (sizeof(T) == 2) {
    const float f = std::fma(a, -1.44269504088896341f, -n);
    p = std::fma(5.5171630e-2f, f, 2.4261114e-1f);
    p = std::fma(p, f, 6.9326100e-1f);
    p = std::fma(p, f, 9.9992807e-1f);
  } else {
    const float r = std::fma(n, 2.12194440e-4f, std::fma(n, -0.693359375f, -a));
    p = 1.9875691500e-4f;
    p = std::fma(p, r, 1.3981999507e-3f);
    p = std::fma(p, r, 8.3334519073e-3f);
    p = std::fma(p, r, 4.1665795894e-2f);
    p = std::fma(p, r, 1.6666665459e-1f);
    p = std::fma(p, r, 5.0000001201e-1f);
    p = std::fma(p, r * r, r) + 1.0f;
  }
  return float_of(bits_of(p) + static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_of(shifted)) << 23));
}

// 1 / (1 + e^-x)
template <class T>
inline float sigmoid_of(float x) {
  const float e = decay<T>(x), d = 1.0f + e;
  return (x < 0.0f ? e : 1.0f) / d;
}

template <class T>
inline void moments_rows(Rows<const T> x, std::int64_t rows, std::int64_t width, float* sum, float* squares) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* in = x.data + i * x.ld;
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      const float v = get(in[j]);
      sum[j] += v;
      squares[j] = std::fma(v, v, squares[j]);
    }
  }
}

template <bool Silu, class T>
inline void act_rows(Rows<const T> x, std::int64_t rows, std::int64_t width, const float* a, const float* b,
                     Rows<T> y) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* in = x.data + i * x.ld;
    T* out = y.data + i * y.ld;
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      const float z = std::fma(a[j], get(in[j]), b[j]);
      put(out[j], Silu ? z * sigmoid_of<T>(z) : z);
    }
  }
}

template <bool Silu, class T>
inline void grad_rows(Rows<const T> grad, Rows<const T> x, std::int64_t rows, std::int64_t width, const float* a,
                      const float* b, Rows<T> dz, float* sum, float* product) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T *g = grad.data + i * grad.ld, *in = x.data + i * x.ld;
    T* out = dz.data + i * dz.ld;
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      const float v = get(in[j]);
      float d = get(g[j]);
      if constexpr (Silu) {
        const float z = std::fma(a[j], v, b[j]), s = sigmoid_of<T>(z);
        d *= s * std::fma(z, 1.0f - s, 1.0f);
      }
      sum[j] += d;
      product[j] = std::fma(d, v, product[j]);
      put(out[j], d);
    }
  }
}

template <class T>
inline void combine_rows(Rows<const T> x, std::int64_t rows, std::int64_t width, const float* p, const float* q,
                         const float* r, Rows<T> dz) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* in = x.data + i * x.ld;
    T* out = dz.data + i * dz.ld;
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) put(out[j], std::fma(p[j], get(out[j]), std::fma(q[j], get(in[j]), r[j])));
  }
}

}  // namespace

PAIRS_SIMD_CLONES void add_moments(Rows<const float> x, std::int64_t rows, std::int64_t width, float* sum,
                                   float* squares) {
  moments_rows(x, rows, width, sum, squares);
}
PAIRS_SIMD_CLONES void add_moments(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, float* sum,
                                   float* squares) {
  moments_rows(x, rows, width, sum, squares);
}

PAIRS_SIMD_CLONES void affine_act(Rows<const float> x, std::int64_t rows, std::int64_t width, const float* a,
                                  const float* b, bool silu, Rows<float> y) {
  if (silu)
    act_rows<true>(x, rows, width, a, b, y);
  else
    act_rows<false>(x, rows, width, a, b, y);
}
PAIRS_SIMD_CLONES void affine_act(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, const float* a,
                                  const float* b, bool silu, Rows<BFloat16Bits> y) {
  if (silu)
    act_rows<true>(x, rows, width, a, b, y);
  else
    act_rows<false>(x, rows, width, a, b, y);
}

PAIRS_SIMD_CLONES void affine_act_grad(Rows<const float> grad, Rows<const float> x, std::int64_t rows,
                                       std::int64_t width, const float* a, const float* b, bool silu, Rows<float> dz,
                                       float* sum, float* product) {
  if (silu)
    grad_rows<true>(grad, x, rows, width, a, b, dz, sum, product);
  else
    grad_rows<false>(grad, x, rows, width, a, b, dz, sum, product);
}
PAIRS_SIMD_CLONES void affine_act_grad(Rows<const BFloat16Bits> grad, Rows<const BFloat16Bits> x, std::int64_t rows,
                                       std::int64_t width, const float* a, const float* b, bool silu,
                                       Rows<BFloat16Bits> dz, float* sum, float* product) {
  if (silu)
    grad_rows<true>(grad, x, rows, width, a, b, dz, sum, product);
  else
    grad_rows<false>(grad, x, rows, width, a, b, dz, sum, product);
}

PAIRS_SIMD_CLONES void combine(Rows<const float> x, std::int64_t rows, std::int64_t width, const float* p,
                               const float* q, const float* r, Rows<float> dz) {
  combine_rows(x, rows, width, p, q, r, dz);
}
PAIRS_SIMD_CLONES void combine(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, const float* p,
                               const float* q, const float* r, Rows<BFloat16Bits> dz) {
  combine_rows(x, rows, width, p, q, r, dz);
}

}  // namespace pairs::ops
