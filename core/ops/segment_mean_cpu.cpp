#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

void check_offsets(const std::int64_t* offsets, std::int64_t segments, std::int64_t rows, bool allow_empty) {
  PAIRS_CHECK(offsets[0] == 0 && offsets[segments] == rows, "segment offsets must run from 0 to {} rows, not {} to {}",
              rows, offsets[0], offsets[segments]);
  for (std::int64_t b = 0; b < segments; ++b)
    PAIRS_CHECK(offsets[b + 1] - offsets[b] >= (allow_empty ? 0 : 1),
                "segment {} runs from row {} to {}: a segment needs {}", b, offsets[b], offsets[b + 1],
                allow_empty ? "ascending offsets" : "at least one row");
}

// out [width] = sum of rows [begin, end) of x, divided by `divisor`. Columns are processed in runs that stay in
// registers.
template <class In, class Out>
inline void reduce_rows(const In* x, std::int64_t begin, std::int64_t end, std::int64_t width, double divisor,
                        Out* out) {
  constexpr std::int64_t kRun = 64;
  for (std::int64_t first = 0; first < width; first += kRun) {
    double sum[kRun] = {};
    const std::int64_t count = std::min(kRun, width - first);
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t j = 0; j < count; ++j) sum[j] += static_cast<double>(x[row * width + first + j]);
    for (std::int64_t j = 0; j < count; ++j) out[first + j] = static_cast<Out>(sum[j] / divisor);
  }
}

PAIRS_SIMD_CLONES void reduce(const float* x, std::int64_t begin, std::int64_t end, std::int64_t width, double divisor,
                              float* out) {
  reduce_rows(x, begin, end, width, divisor, out);
}
PAIRS_SIMD_CLONES void reduce(const float* x, std::int64_t begin, std::int64_t end, std::int64_t width, double divisor,
                              double* out) {
  reduce_rows(x, begin, end, width, divisor, out);
}
PAIRS_SIMD_CLONES void reduce(const double* x, std::int64_t begin, std::int64_t end, std::int64_t width, double divisor,
                              double* out) {
  reduce_rows(x, begin, end, width, divisor, out);
}

// Every row [begin, end) of out becomes grad [width] divided by the number of rows.
template <class S>
inline void spread_rows(const S* grad, std::int64_t begin, std::int64_t end, std::int64_t width, S* out) {
  if (begin >= end) return;
  const S n = static_cast<S>(end - begin);
  S* first = out + begin * width;
  for (std::int64_t j = 0; j < width; ++j) first[j] = grad[j] / n;
  for (std::int64_t row = begin + 1; row < end; ++row) std::copy_n(first, width, out + row * width);
}

PAIRS_SIMD_CLONES void spread(const float* grad, std::int64_t begin, std::int64_t end, std::int64_t width, float* out) {
  spread_rows(grad, begin, end, width, out);
}
PAIRS_SIMD_CLONES void spread(const double* grad, std::int64_t begin, std::int64_t end, std::int64_t width,
                              double* out) {
  spread_rows(grad, begin, end, width, out);
}

// Calls f(b) for every segment, several at once if there is enough work.
template <class F>
void for_segments(std::int64_t segments, std::int64_t elements, const F& f) {
  const std::int64_t work = std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, segments));
  at::parallel_for(0, segments, std::max<std::int64_t>(1, 32768 / work), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) f(b);
  });
}

template <class In, class Out>
void reduce_segments(const Tensor& x, const Tensor& offsets, bool divide, Tensor& out) {
  const std::int64_t width = x.size(1);
  const std::int64_t* at = offsets.const_data_ptr<std::int64_t>();
  const In* in = x.const_data_ptr<In>();
  Out* to = out.mutable_data_ptr<Out>();
  for_segments(offsets.size(0) - 1, x.numel(), [&](std::int64_t b) {
    reduce(in, at[b], at[b + 1], width, divide ? static_cast<double>(at[b + 1] - at[b]) : 1.0, to + b * width);
  });
}

template <class S>
void spread_segments(const Tensor& grad, const Tensor& offsets, Tensor& out) {
  const std::int64_t width = grad.size(1);
  const std::int64_t* at = offsets.const_data_ptr<std::int64_t>();
  const S* from = grad.const_data_ptr<S>();
  S* to = out.mutable_data_ptr<S>();
  for_segments(offsets.size(0) - 1, out.numel(),
               [&](std::int64_t b) { spread(from + b * width, at[b], at[b + 1], width, to); });
}

Tensor mean_forward(const Tensor& rows, const Tensor& segments) {
  const Tensor x = rows.contiguous(), offsets = segments.contiguous();
  const std::int64_t count = offsets.size(0) - 1;
  check_offsets(offsets.const_data_ptr<std::int64_t>(), count, x.size(0), false);
  Tensor out = at::empty({count, x.size(1)}, x.options());
  if (x.scalar_type() == torch::kDouble)
    reduce_segments<double, double>(x, offsets, true, out);
  else
    reduce_segments<float, float>(x, offsets, true, out);
  return out;
}

Tensor sum64(const Tensor& rows, const Tensor& segments) {
  const Tensor x = rows.contiguous(), offsets = segments.contiguous();
  const std::int64_t count = offsets.size(0) - 1;
  check_offsets(offsets.const_data_ptr<std::int64_t>(), count, x.size(0), true);
  Tensor out = at::empty({count, x.size(1)}, x.options().dtype(torch::kDouble));
  if (x.scalar_type() == torch::kDouble)
    reduce_segments<double, double>(x, offsets, false, out);
  else
    reduce_segments<float, double>(x, offsets, false, out);
  return out;
}

Tensor mean_backward(const Tensor& grad, const Tensor& segments, std::int64_t rows) {
  const Tensor g = grad.contiguous(), offsets = segments.contiguous();
  Tensor out = at::empty({rows, g.size(1)}, g.options());
  if (g.scalar_type() == torch::kDouble)
    spread_segments<double>(g, offsets, out);
  else
    spread_segments<float>(g, offsets, out);
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("segment_mean_forward", mean_forward);
  m.impl("segment_mean_backward", mean_backward);
  m.impl("segment_sum64", sum64);
}

}  // namespace pairs::ops
