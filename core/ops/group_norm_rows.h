#pragma once

#include <cstdint>

namespace pairs::ops {

// The bits of a bfloat16 number.
struct BFloat16Bits {
  std::uint16_t bits;
};

// `rows` rows of `width` numbers, with a stride of `ld` between rows. The functions give the same bits on every
// instruction set; pointers are equal or disjoint.
template <class T>
struct Rows {
  T* data;
  std::int64_t ld;
};

// sum[j] += sum of column j, squares[j] += sum of its squares, in float32: meant for a few hundred rows.
void add_moments(Rows<const float> x, std::int64_t rows, std::int64_t width, float* sum, float* squares);
void add_moments(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, float* sum, float* squares);

// y = act(a[j] x + b[j]), with SiLU if `silu` is set.
void affine_act(Rows<const float> x, std::int64_t rows, std::int64_t width, const float* a, const float* b, bool silu,
                Rows<float> y);
void affine_act(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, const float* a, const float* b,
                bool silu, Rows<BFloat16Bits> y);

// dz = grad * act'(a[j] x + b[j]), stored, and its sums over the rows: sum[j] += dz, product[j] += dz x.
void affine_act_grad(Rows<const float> grad, Rows<const float> x, std::int64_t rows, std::int64_t width, const float* a,
                     const float* b, bool silu, Rows<float> dz, float* sum, float* product);
void affine_act_grad(Rows<const BFloat16Bits> grad, Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width,
                     const float* a, const float* b, bool silu, Rows<BFloat16Bits> dz, float* sum, float* product);

// dz = p[j] dz + q[j] x + r[j]
void combine(Rows<const float> x, std::int64_t rows, std::int64_t width, const float* p, const float* q, const float* r,
             Rows<float> dz);
void combine(Rows<const BFloat16Bits> x, std::int64_t rows, std::int64_t width, const float* p, const float* q,
             const float* r, Rows<BFloat16Bits> dz);

}  // namespace pairs::ops
