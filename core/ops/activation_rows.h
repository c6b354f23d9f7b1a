#pragma once

#include <cstdint>

namespace pairs::ops {

enum class Activation { none, relu, silu };

// The functions below work on `count` numbers in one pass and give the same bits on every instruction set. Pointers are
// equal or disjoint.

// out = max(in, 0), NaN where in is.
void relu_rows(const float* in, float* out, std::int64_t count);
// out = in / (1 + e^-in); slope, when not null, its derivative. Relative error about 3e-7.
void silu_rows(const float* in, float* out, float* slope, std::int64_t count);

// out = base + grad * [activated > 0]; no base when null.
void relu_grad_rows(const float* grad, const float* activated, const float* base, float* out, std::int64_t count);
// out = base + grad * slope; no base when null.
void scale_grad_rows(const float* grad, const float* slope, const float* base, float* out, std::int64_t count);

// out [columns] = sum of the rows of x [rows, columns], whose rows are ldx apart.
void column_sums(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t columns, float* out);

}  // namespace pairs::ops
