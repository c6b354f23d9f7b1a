#pragma once

#include <cstdint>

namespace pairs::ops {

enum class Activation { none, relu, silu, softplus };

// Whether the slope at the input cannot be computed from the output alone and is kept for the gradient.
inline bool keeps_slope(Activation act) {
  return act == Activation::silu || act == Activation::softplus;
}

// The functions below work on `count` numbers in one pass and give the same bits on every instruction set. Pointers are
// equal or disjoint.

// out = max(in, 0), NaN for a NaN input.
void relu_rows(const float* in, float* out, std::int64_t count);
// out = in / (1 + e^-in); slope, if not null, receives the derivative. Relative error about 3e-7.
void silu_rows(const float* in, float* out, float* slope, std::int64_t count);
// out = ln((1 + e^in) / 2), the softplus that is zero at zero; slope, if not null, receives the derivative. Error about
// 1e-7 of the larger of 1 and |out|.
void softplus_rows(const float* in, float* out, float* slope, std::int64_t count);

// out = base + grad * [activated > 0]; no base if null.
void relu_grad_rows(const float* grad, const float* activated, const float* base, float* out, std::int64_t count);
// out = base + grad * slope; no base if null.
void scale_grad_rows(const float* grad, const float* slope, const float* base, float* out, std::int64_t count);

// out [columns] = sum of the rows of x [rows, columns], whose rows are ldx apart.
void column_sums(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t columns, float* out);

}  // namespace pairs::ops
