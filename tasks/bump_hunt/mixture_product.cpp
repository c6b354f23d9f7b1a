#include "tasks/bump_hunt/mixture_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/base/numbers/simd.h"

namespace pairs {
namespace {

// Eight lanes of float64 and of int64: one AVX-512 register, or two or four smaller ones.
using Real = double __attribute__((vector_size(64)));
using Int = std::int64_t __attribute__((vector_size(64)));
constexpr std::int64_t lanes = 8;
constexpr std::int64_t one_bits = 0x3ff0000000000000, mantissa_bits = 0x000fffffffffffff;
// Factors lie in [e^-40, 1e15 + 1]: products of 16 stay within the range of float64.
constexpr std::int64_t factors_at_a_time = 16;

// exp(-min(|x|, 40)): Cephes' range reduction and a Taylor polynomial of degree 13; relative error about 2e-16.
PAIRS_SIMD_CLONES void exp_of_minus_magnitude(std::int64_t count, const double* __restrict x, double* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double magnitude = std::fabs(x[i]), y = magnitude < 40.0 ? -magnitude : -40.0;
    const double shifted = y * std::numbers::log2e + 0x1.8p52;  // rounds to an integer in the low bits
    const double n = shifted - 0x1.8p52;
    const double r = (y - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    std::int64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + one_bits;
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    out[i] = p * scale;
  }
}

struct RowTable {
  const std::int64_t* offsets;
  const double* mantissa;
  const std::int64_t* exponent;
  std::int64_t rows;
  const double *b, *s;
};

// Sums the rows at 2 x 8 odds: mantissas and powers of two.
PAIRS_SIMD_CLONES void sum_rows(RowTable t, const double* odds, double* sum, std::int64_t* power) {
  Real o0, o1, acc0 = {}, acc1 = {};
  std::memcpy(&o0, odds, sizeof o0);
  std::memcpy(&o1, odds + lanes, sizeof o1);
  const Int lowest = Int{} - (1ll << 40);
  Int at0 = lowest, at1 = lowest;
  const auto split = [](Real& p, Int& e) {
    Int bits;
    std::memcpy(&bits, &p, sizeof bits);
    e += (bits >> 52) - 1023;
    bits = (bits & mantissa_bits) | one_bits;
    std::memcpy(&p, &bits, sizeof p);
  };
  // 2^k for k <= 0, limited to 2^-1000 from below.
  const auto power_of_two = [](Int k, Real& out) {
    const Int inside = k > -1000;
    k = (k & inside) | ((Int{} - 1000) & ~inside);
    const Int bits = (k + 1023) << 52;
    std::memcpy(&out, &bits, sizeof out);
  };
  const auto accumulate = [&](const Real& p, const Int& e, Real& acc, Int& at) {
    const Int higher = e > at;
    const Int top = (e & higher) | (at & ~higher);
    Real down, up;
    power_of_two(at - top, down);
    power_of_two(e - top, up);
    acc = acc * down + p * up;
    at = top;
  };
  for (std::int64_t r = 0; r < t.rows; ++r) {
    Real p0 = Real{} + t.mantissa[r], p1 = p0;
    Int e0 = Int{} + t.exponent[r], e1 = e0;
    for (std::int64_t i = t.offsets[r]; i < t.offsets[r + 1];) {
      const std::int64_t stop = i + factors_at_a_time < t.offsets[r + 1] ? i + factors_at_a_time : t.offsets[r + 1];
      for (; i < stop; ++i) {
        p0 *= o0 * t.s[i] + t.b[i];
        p1 *= o1 * t.s[i] + t.b[i];
      }
      split(p0, e0);
      split(p1, e1);
    }
    accumulate(p0, e0, acc0, at0);
    accumulate(p1, e1, acc1, at1);
  }
  std::memcpy(sum, &acc0, sizeof acc0);
  std::memcpy(sum + lanes, &acc1, sizeof acc1);
  std::memcpy(power, &at0, sizeof at0);
  std::memcpy(power + lanes, &at1, sizeof at1);
}

}  // namespace

void MixtureProduct::reset(std::span<const std::int64_t> factors_of_row) {
  offsets_.assign(1, 0);
  offsets_.reserve(factors_of_row.size() + 1);
  for (const std::int64_t n : factors_of_row) offsets_.push_back(offsets_.back() + n);
  next_.assign(offsets_.begin(), offsets_.end() - 1);
  log_ratio_.resize(static_cast<std::size_t>(offsets_.back()));
}

void MixtureProduct::finish(std::span<const double> log_weight) {
  const std::size_t rows = next_.size(), factors = log_ratio_.size();
  b_.resize(factors);
  s_.resize(factors);
  mantissa_.resize(rows);
  exponent_.resize(rows);
  exp_of_minus_magnitude(static_cast<std::int64_t>(factors), log_ratio_.data(), b_.data());
  for (std::size_t i = 0; i < factors; ++i) {
    const bool signal = log_ratio_[i] > 0.0;
    s_[i] = signal ? 1.0 : b_[i];
    b_[i] = signal ? b_[i] : 1.0;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    double log_scale = log_weight[r];
    for (std::int64_t i = offsets_[r]; i < offsets_[r + 1]; ++i)
      log_scale += std::max(log_ratio_[static_cast<std::size_t>(i)], 0.0);
    const double two = log_scale * std::numbers::log2e, whole = std::floor(two);
    mantissa_[r] = std::exp2(two - whole);
    exponent_[r] = static_cast<std::int64_t>(whole);
  }
}

std::vector<double> MixtureProduct::log_sum(std::span<const double> odds) const {
  constexpr std::size_t width = 2 * lanes;
  const RowTable table{offsets_.data(), mantissa_.data(), exponent_.data(), static_cast<std::int64_t>(mantissa_.size()),
                       b_.data(),       s_.data()};
  std::vector<double> out(odds.size());
  for (std::size_t begin = 0; begin < odds.size(); begin += width) {
    const std::size_t count = std::min(width, odds.size() - begin);
    double o[width], sum[width];
    std::int64_t power[width];
    std::fill(std::copy_n(odds.begin() + static_cast<std::ptrdiff_t>(begin), count, o), o + width, 1.0);
    sum_rows(table, o, sum, power);
    for (std::size_t j = 0; j < count; ++j)
      out[begin + j] = std::log(sum[j]) + static_cast<double>(power[j]) * std::numbers::ln2;
  }
  return out;
}

}  // namespace pairs
