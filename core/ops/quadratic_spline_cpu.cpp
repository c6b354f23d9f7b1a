#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>

#include "core/base/numbers/simd.h"
#include "core/ops/quadratic_spline_row.h"

namespace pairs::ops {
namespace {

constexpr int kLanes = 16;
constexpr int kMax = spline::kMaxBins;

// Rows begin..end of y; row i uses parameter row i / repeat.
template <class S>
struct Rows {
  const S* params;
  const S* y;
  S* z;
  S* log_slope;
  std::int64_t begin, end, repeat;
  int bins;
  bool tails;
};

template <class S>
struct GradRows {
  const S *params, *y, *grad_z, *grad_log;
  S *grad_y, *grad_params;
  std::int64_t begin, end;
  int bins;
  bool tails;
};

// The parameters of `count` rows side by side; extra lanes repeat the last row.
template <class S>
PAIRS_INLINE void load_params(const S* params, std::int64_t row, int count, int size, S* packed) {
  for (int i = 0; i < kLanes; ++i) {
    const S* from = params + (row + std::min(i, count - 1)) * size;
    for (int j = 0; j < size; ++j) packed[j * kLanes + i] = from[j];
  }
}

template <class S>
PAIRS_INLINE void load_lanes(const S* from, int count, S* lanes) {
  for (int i = 0; i < kLanes; ++i) lanes[i] = from[std::min(i, count - 1)];
}

template <class S, bool Inverse>
PAIRS_INLINE void map_rows(const Rows<S>& r) {
  alignas(64) S packed[(2 * kMax + 1) * kLanes], in[kLanes], out[kLanes], log_slope[kLanes];
  alignas(64) spline::Knots<S, kLanes, kMax> knots;
  const int size = spline::parameter_count(r.bins, r.tails);
  std::int64_t loaded = -1;
  for (std::int64_t row = r.begin; row < r.end;) {
    const std::int64_t owner = row / r.repeat;
    std::int64_t stop = std::min(row + kLanes, r.end);
    if (r.repeat > 1) stop = std::min(stop, (owner + 1) * r.repeat);
    const int count = static_cast<int>(stop - row);
    if (owner != loaded) {
      load_params(r.params, owner, r.repeat > 1 ? 1 : count, size, packed);
      spline::make_knots(packed, r.bins, r.tails, knots);
      loaded = r.repeat > 1 ? owner : -1;
    }
    load_lanes(r.y + row, count, in);
    if constexpr (Inverse)
      spline::inverse(knots, r.bins, r.tails, in, out, log_slope);
    else
      spline::forward(knots, r.bins, r.tails, in, out, log_slope);
    std::copy_n(out, count, r.z + row);
    std::copy_n(log_slope, count, r.log_slope + row);
    row = stop;
  }
}

template <class S>
PAIRS_INLINE void grad_rows(const GradRows<S>& r) {
  alignas(64) S packed[(2 * kMax + 1) * kLanes], grad[(2 * kMax + 1) * kLanes];
  alignas(64) S y[kLanes], gz[kLanes], gl[kLanes], gy[kLanes];
  alignas(64) spline::Knots<S, kLanes, kMax> knots;
  const int size = spline::parameter_count(r.bins, r.tails);
  for (std::int64_t row = r.begin; row < r.end; row += kLanes) {
    const int count = static_cast<int>(std::min<std::int64_t>(kLanes, r.end - row));
    load_params(r.params, row, count, size, packed);
    spline::make_knots(packed, r.bins, r.tails, knots);
    load_lanes(r.y + row, count, y);
    load_lanes(r.grad_z + row, count, gz);
    load_lanes(r.grad_log + row, count, gl);
    spline::backward(knots, r.bins, r.tails, y, gz, gl, gy, grad);
    std::copy_n(gy, count, r.grad_y + row);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < size; ++j) r.grad_params[(row + i) * size + j] = grad[j * kLanes + i];
  }
}

PAIRS_SIMD_CLONES void forward_float(const Rows<float>& r) {
  map_rows<float, false>(r);
}
PAIRS_SIMD_CLONES void inverse_float(const Rows<float>& r) {
  map_rows<float, true>(r);
}
PAIRS_SIMD_CLONES void backward_float(const GradRows<float>& r) {
  grad_rows(r);
}
void forward_double(const Rows<double>& r) {
  map_rows<double, false>(r);
}
void inverse_double(const Rows<double>& r) {
  map_rows<double, true>(r);
}
void backward_double(const GradRows<double>& r) {
  grad_rows(r);
}

constexpr std::int64_t kGrain = 256;

template <class S, class Map>
std::tuple<torch::Tensor, torch::Tensor> run_map(const torch::Tensor& y, const torch::Tensor& params, std::int64_t bins,
                                                 bool tails, Map map) {
  const torch::Tensor in = y.contiguous(), p = params.contiguous();
  torch::Tensor z = torch::empty_like(in), log_slope = torch::empty_like(in);
  const std::int64_t rows = in.size(0), repeat = rows == 0 ? 1 : rows / p.size(0);
  Rows<S> all{p.const_data_ptr<S>(),
              in.const_data_ptr<S>(),
              z.mutable_data_ptr<S>(),
              log_slope.mutable_data_ptr<S>(),
              0,
              rows,
              repeat,
              static_cast<int>(bins),
              tails};
  at::parallel_for(0, rows, kGrain, [&](std::int64_t begin, std::int64_t end) {
    Rows<S> part = all;
    part.begin = begin, part.end = end;
    map(part);
  });
  return {z, log_slope};
}

std::tuple<torch::Tensor, torch::Tensor> spline_forward_cpu(const torch::Tensor& y, const torch::Tensor& params,
                                                            std::int64_t bins, bool tails) {
  if (y.scalar_type() == torch::kDouble) return run_map<double>(y, params, bins, tails, forward_double);
  return run_map<float>(y, params, bins, tails, forward_float);
}

std::tuple<torch::Tensor, torch::Tensor> spline_inverse_cpu(const torch::Tensor& z, const torch::Tensor& params,
                                                            std::int64_t bins, bool tails) {
  if (z.scalar_type() == torch::kDouble) return run_map<double>(z, params, bins, tails, inverse_double);
  return run_map<float>(z, params, bins, tails, inverse_float);
}

template <class S, class Grad>
std::tuple<torch::Tensor, torch::Tensor> run_grad(const torch::Tensor& y, const torch::Tensor& params,
                                                  const torch::Tensor& grad_z, const torch::Tensor& grad_log,
                                                  std::int64_t bins, bool tails, Grad grad) {
  const torch::Tensor in = y.contiguous(), p = params.contiguous(), gz = grad_z.contiguous(),
                      gl = grad_log.contiguous();
  torch::Tensor grad_y = torch::empty_like(in), grad_params = torch::empty_like(p);
  GradRows<S> all{p.const_data_ptr<S>(),
                  in.const_data_ptr<S>(),
                  gz.const_data_ptr<S>(),
                  gl.const_data_ptr<S>(),
                  grad_y.mutable_data_ptr<S>(),
                  grad_params.mutable_data_ptr<S>(),
                  0,
                  in.size(0),
                  static_cast<int>(bins),
                  tails};
  at::parallel_for(0, in.size(0), kGrain, [&](std::int64_t begin, std::int64_t end) {
    GradRows<S> part = all;
    part.begin = begin, part.end = end;
    grad(part);
  });
  return {grad_y, grad_params};
}

std::tuple<torch::Tensor, torch::Tensor> spline_backward_cpu(const torch::Tensor& y, const torch::Tensor& params,
                                                             const torch::Tensor& grad_z, const torch::Tensor& grad_log,
                                                             std::int64_t bins, bool tails) {
  if (y.scalar_type() == torch::kDouble)
    return run_grad<double>(y, params, grad_z, grad_log, bins, tails, backward_double);
  return run_grad<float>(y, params, grad_z, grad_log, bins, tails, backward_float);
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("quadratic_spline_forward", spline_forward_cpu);
  m.impl("quadratic_spline_inverse", spline_inverse_cpu);
  m.impl("quadratic_spline_backward", spline_backward_cpu);
}

}  // namespace pairs::ops
