#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/base/numbers/random.h"

// The mathematics of one row of the piecewise-quadratic spline (method: Müller et al. 2018), written once for W rows
// side by side: the CPU runs W = 16 so that every loop over lanes is one vector instruction, CUDA runs W = 1.
namespace pairs::ops::spline {

#if defined(__CUDACC__)
#define PAIRS_INLINE __host__ __device__ __forceinline__
#else
#define PAIRS_INLINE inline __attribute__((always_inline))
#endif

inline constexpr std::int64_t kMaxBins = 64;
// Smallest width of a bin and smallest density of a knot; also keeps raw heights from vanishing.
template <class S>
inline constexpr S kFloor = S(1e-3);

PAIRS_INLINE int parameter_count(int bins, bool tails) {
  return tails ? 2 * bins - 1 : 2 * bins + 1;
}

// exp for x <= 88; below -87.3 it returns the smallest normal number. NaN stays NaN. Vectorizes, unlike std::exp.
PAIRS_INLINE float exp_of(float x) {
#if defined(__CUDA_ARCH__)
  return expf(x);
#else
  x = x < -87.3f ? -87.3f : x;
  x = x > 88.0f ? 88.0f : x;
  const float shifted = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23: rounds to the nearest integer
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  std::int32_t bits;
  std::memcpy(&bits, &shifted, 4);
  bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits - 0x4b400000 + 127) << 23);
  float power;
  std::memcpy(&power, &bits, 4);
  return p * power;
#endif
}
PAIRS_INLINE double exp_of(double x) {
  return std::exp(x);
}

// 2 artanh(s) for |s| <= 1/3.
PAIRS_INLINE float log_ratio(float s) {
  const float q = s * s;
  float p = 1.0f / 13.0f;
  p = p * q + 1.0f / 11.0f;
  p = p * q + 1.0f / 9.0f;
  p = p * q + 1.0f / 7.0f;
  p = p * q + 1.0f / 5.0f;
  p = p * q + 1.0f / 3.0f;
  return 2.0f * s * (p * q + 1.0f);
}

// log(1 + t) for 0 <= t <= 1.
PAIRS_INLINE float log1p_of(float t) {
  return log_ratio(t / (2.0f + t));
}
PAIRS_INLINE double log1p_of(double t) {
  return std::log1p(t);
}

// log of a positive normal number. NaN stays NaN.
PAIRS_INLINE float log_of(float x) {
#if defined(__CUDA_ARCH__)
  return logf(x);
#else
  std::int32_t bits;
  std::memcpy(&bits, &x, 4);
  const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;  // mantissa in [sqrt(1/2), sqrt(2))
  bits -= static_cast<std::int32_t>(static_cast<std::uint32_t>(exponent) << 23);
  float m;
  std::memcpy(&m, &bits, 4);
  const float e = static_cast<float>(exponent);
  const float y = e * 0.693359375f + (log_ratio((m - 1.0f) / (m + 1.0f)) - e * 2.12194440e-4f);
  return x == x ? y : x;
#endif
}
PAIRS_INLINE double log_of(double x) {
  return std::log(x);
}

// Widths and densities at the knots of W rows, with intermediate results for the backward pass.
template <class S, int W, int Max>
struct Knots {
  S width[Max][W], density[Max + 1][W];
  S softmax[Max][W], raw[Max + 1][W], sigmoid[Max + 1][W];
  S area[W], rest[W];  // area under the raw heights; tails: 1 - half the outer widths
};

// Computes the knots from params[j * W + lane]: K width logits, then K + 1 height logits (box) or K - 1 (tails).
template <class S, int W, int Max>
PAIRS_INLINE void make_knots(const S* params, int bins, bool tails, Knots<S, W, Max>& k) {
  S top[W], sum[W];
  for (int i = 0; i < W; ++i) top[i] = params[i], sum[i] = S(0);
  for (int j = 1; j < bins; ++j)
    for (int i = 0; i < W; ++i) top[i] = params[j * W + i] > top[i] ? params[j * W + i] : top[i];
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) {
      k.softmax[j][i] = exp_of(params[j * W + i] - top[i]);
      sum[i] += k.softmax[j][i];
    }
  const S spread = S(1) - S(bins) * kFloor<S>;
  for (int i = 0; i < W; ++i) sum[i] = S(1) / sum[i];
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) {
      k.softmax[j][i] *= sum[i];
      k.width[j][i] = kFloor<S> + spread * k.softmax[j][i];
    }

  const S* heights = params + bins * W;
  const int first = tails ? 1 : 0, last = tails ? bins - 1 : bins;
  for (int j = first; j <= last; ++j)
    for (int i = 0; i < W; ++i) {
      const S v = heights[(j - first) * W + i];
      const S t = exp_of(v > S(0) ? -v : v);
      k.raw[j][i] = (v > S(0) ? v : S(0)) + log1p_of(t) + kFloor<S>;
      k.sigmoid[j][i] = (v > S(0) ? S(1) : t) / (S(1) + t);
    }
  for (int i = 0; i < W; ++i) k.area[i] = S(0);
  for (int j = first; j < last; ++j)
    for (int i = 0; i < W; ++i) k.area[i] += S(0.5) * (k.raw[j][i] + k.raw[j + 1][i]) * k.width[j][i];
  if (tails) {
    // The outer heights that make the normalized density exactly 1 at both ends.
    for (int i = 0; i < W; ++i) {
      const S left = S(0.5) * k.width[0][i], right = S(0.5) * k.width[bins - 1][i];
      k.rest[i] = S(1) - left - right;
      k.area[i] = (k.area[i] + left * k.raw[1][i] + right * k.raw[bins - 1][i]) / k.rest[i];
      k.raw[0][i] = k.raw[bins][i] = k.area[i];
    }
  }
  for (int j = 0; j <= bins; ++j)
    for (int i = 0; i < W; ++i) k.density[j][i] = kFloor<S> + (S(1) - kFloor<S>)*(k.raw[j][i] / k.area[i]);
}

// The bin of each lane: its index, left edge, area to its left, width, and densities at its two knots.
template <class S, int W>
struct Bin {
  S index[W], left[W], below[W], width[W], v0[W], v1[W];
};

// Finds the bin of `at`: a point y when `inverse` is false, an area z when it is true.
template <class S, int W, int Max>
PAIRS_INLINE void find_bin(const Knots<S, W, Max>& k, int bins, const S* at, bool inverse, Bin<S, W>& b) {
  S left[W], below[W];
  for (int i = 0; i < W; ++i) {
    b.index[i] = left[i] = below[i] = b.left[i] = b.below[i] = S(0);
    b.width[i] = k.width[0][i], b.v0[i] = k.density[0][i], b.v1[i] = k.density[1][i];
  }
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) {
      const bool here = at[i] >= (inverse ? below[i] : left[i]);
      b.index[i] = here ? S(j) : b.index[i];
      b.left[i] = here ? left[i] : b.left[i];
      b.below[i] = here ? below[i] : b.below[i];
      b.width[i] = here ? k.width[j][i] : b.width[i];
      b.v0[i] = here ? k.density[j][i] : b.v0[i];
      b.v1[i] = here ? k.density[j + 1][i] : b.v1[i];
      left[i] += k.width[j][i];
      below[i] += S(0.5) * (k.density[j][i] + k.density[j + 1][i]) * k.width[j][i];
    }
}

template <class S>
PAIRS_INLINE S clamp01(S x) {
  x = x < S(0) ? S(0) : x;
  return x > S(1) ? S(1) : x;
}
template <class S>
PAIRS_INLINE bool outside01(S x) {
  return (x < S(0)) | (x > S(1));
}

// Computes z and log dz/dy of W points.
template <class S, int W, int Max>
PAIRS_INLINE void forward(const Knots<S, W, Max>& k, int bins, bool tails, const S* y, S* z, S* log_slope) {
  Bin<S, W> b;
  find_bin(k, bins, y, false, b);
  for (int i = 0; i < W; ++i) {
    const S alpha = clamp01((y[i] - b.left[i]) / b.width[i]), dv = b.v1[i] - b.v0[i];
    const S value = b.below[i] + b.width[i] * alpha * (b.v0[i] + S(0.5) * dv * alpha);
    const S slope = log_of(b.v0[i] + dv * alpha);
    const bool out = outside01(y[i]);
    z[i] = out & tails ? y[i] : clamp01(value);
    log_slope[i] = out ? (tails ? S(0) : -S(INFINITY)) : slope;
  }
}

// Computes y and log dy/dz of W areas, using the form of the root that stays exact where a bin's slope vanishes.
template <class S, int W, int Max>
PAIRS_INLINE void inverse(const Knots<S, W, Max>& k, int bins, bool tails, const S* z, S* y, S* log_slope) {
  Bin<S, W> b;
  find_bin(k, bins, z, true, b);
  for (int i = 0; i < W; ++i) {
    const S dv = b.v1[i] - b.v0[i], r = z[i] - b.below[i];
    const S linear = b.v0[i] * b.width[i], curve = S(0.5) * dv * b.width[i];
    const S square = linear * linear + S(4) * curve * r;
    const S root = std::sqrt(square < S(0) ? S(0) : square);
    const S alpha = clamp01(S(2) * r / (linear + root));
    const S slope = log_of(b.v0[i] + dv * alpha);
    const bool out = outside01(z[i]);
    y[i] = out & tails ? z[i] : clamp01(b.left[i] + alpha * b.width[i]);
    log_slope[i] = out ? (tails ? S(0) : -S(INFINITY)) : -slope;
  }
}

// Computes the gradients of y and the parameters (grad[j * W + lane]) from those of z and log dz/dy.
template <class S, int W, int Max>
PAIRS_INLINE void backward(const Knots<S, W, Max>& k, int bins, bool tails, const S* y, const S* grad_z,
                           const S* grad_log, S* grad_y, S* grad) {
  Bin<S, W> b;
  find_bin(k, bins, y, false, b);
  S gz[W], gy[W], here_width[W], here_left[W], here_right[W];
  for (int i = 0; i < W; ++i) {
    const bool out = outside01(y[i]);
    gz[i] = out ? S(0) : grad_z[i];
    const S gl = out ? S(0) : grad_log[i];
    const S alpha = clamp01((y[i] - b.left[i]) / b.width[i]), dv = b.v1[i] - b.v0[i], w = b.width[i];
    const S p = b.v0[i] + dv * alpha, gl_p = gl / p;
    gy[i] = gz[i] * p + gl_p * dv / w;
    grad_y[i] = out ? (tails ? grad_z[i] : S(0)) : gy[i];
    here_width[i] = gz[i] * alpha * (b.v0[i] + S(0.5) * dv * alpha) - gy[i] * alpha;
    here_left[i] = gz[i] * w * alpha * (S(1) - S(0.5) * alpha) + gl_p * (S(1) - alpha);
    here_right[i] = gz[i] * S(0.5) * w * alpha * alpha + gl_p * alpha;
  }
  // Gradients of the normalized widths and densities: bins left of the point matter only through the cumulative sums.
  S gw[Max][W], gv[Max + 1][W];
  for (int i = 0; i < W; ++i) gv[0][i] = S(0);
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) {
      const bool before = b.index[i] > S(j), here = b.index[i] == S(j);
      const S cell = S(0.5) * gz[i] * k.width[j][i];
      const S below = S(0.5) * gz[i] * (k.density[j][i] + k.density[j + 1][i]) - gy[i];
      gw[j][i] = before ? below : (here ? here_width[i] : S(0));
      gv[j][i] += before ? cell : (here ? here_left[i] : S(0));
      gv[j + 1][i] = before ? cell : (here ? here_right[i] : S(0));
    }
  // Gradients of the raw heights, through the normalization of the densities.
  S ga[W], scale[W];
  for (int i = 0; i < W; ++i) ga[i] = S(0), scale[i] = S(1) / k.area[i];
  for (int j = 0; j <= bins; ++j)
    for (int i = 0; i < W; ++i) {
      ga[i] -= gv[j][i] * (k.density[j][i] - kFloor<S>)*scale[i];
      gv[j][i] *= (S(1) - kFloor<S>)*scale[i];
    }
  const int first = tails ? 1 : 0, last = tails ? bins - 1 : bins;
  if (tails) {
    // The area equals the outer heights, so both get the same gradient; it is a quotient over `rest`.
    for (int i = 0; i < W; ++i) {
      ga[i] = (ga[i] + gv[0][i] + gv[bins][i]) / k.rest[i];
      gw[0][i] += S(0.5) * ga[i] * (k.raw[1][i] + k.area[i]);
      gw[bins - 1][i] += S(0.5) * ga[i] * (k.raw[bins - 1][i] + k.area[i]);
      gv[1][i] += S(0.5) * ga[i] * k.width[0][i];
      gv[bins - 1][i] += S(0.5) * ga[i] * k.width[bins - 1][i];
    }
  }
  for (int j = first; j < last; ++j)
    for (int i = 0; i < W; ++i) {
      gw[j][i] += S(0.5) * ga[i] * (k.raw[j][i] + k.raw[j + 1][i]);
      gv[j][i] += S(0.5) * ga[i] * k.width[j][i];
      gv[j + 1][i] += S(0.5) * ga[i] * k.width[j][i];
    }
  for (int j = first; j <= last; ++j)
    for (int i = 0; i < W; ++i) grad[(bins + j - first) * W + i] = gv[j][i] * k.sigmoid[j][i];
  // Gradients through the softmax.
  S mean[W];
  const S spread = S(1) - S(bins) * kFloor<S>;
  for (int i = 0; i < W; ++i) mean[i] = S(0);
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) mean[i] += k.softmax[j][i] * gw[j][i];
  for (int j = 0; j < bins; ++j)
    for (int i = 0; i < W; ++i) grad[j * W + i] = spread * k.softmax[j][i] * (gw[j][i] - mean[i]);
}

}  // namespace pairs::ops::spline
