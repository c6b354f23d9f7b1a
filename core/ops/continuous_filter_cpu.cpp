#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/text/error.h"
#include "core/ops/continuous_filter.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PAIRS_FILTER_SIMD 1
#endif

namespace pairs::ops {
namespace {

using torch::Tensor;

// Links of rows: those from row i to later rows that are also linked to i are begin[2 i] .. begin[2 i + 1] - 1 (which
// serve both directions); those to i from senders that are not linked to i follow up to begin[2 i + 2] - 1.
struct FilterLinks {
  const std::int32_t *begin, *sender, *cell;
  const float* weights;  // [links, 4]
};

// Links sorted by their cell in the table; the sender is ~j where one link serves both directions.
struct FilterCells {
  const std::int32_t *begin, *receiver, *sender;
  const float* weights;
};

#ifdef PAIRS_FILTER_SIMD

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")
#endif
namespace filter_avx512 {

#include "core/ops/lanes_avx512.h"
constexpr int kVectors = 4;

#include "core/ops/continuous_filter_simd.h"

}  // namespace filter_avx512
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace filter_avx2 {

#include "core/ops/lanes_avx2.h"
constexpr int kVectors = 2;

#include "core/ops/continuous_filter_simd.h"

}  // namespace filter_avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // PAIRS_FILTER_SIMD

namespace filter_plain {

using Vec = float;
using Mask = int;
constexpr std::int64_t kLanes = 1;
constexpr int kVectors = 8;

inline Vec zero() {
  return 0;
}
inline Vec broadcast(const float* p) {
  return *p;
}
inline Vec load(const float* p) {
  return *p;
}
inline Vec load(const float* p, Mask) {
  return *p;
}
inline void store(float* p, Vec x) {
  *p = x;
}
inline void store(float* p, Vec x, Mask) {
  *p = x;
}
inline Vec fma(Vec a, Vec b, Vec c) {
  return a * b + c;
}
inline Vec mul(Vec a, Vec b) {
  return a * b;
}
inline Mask mask_of(std::int64_t lanes) {
  return static_cast<Mask>(lanes);
}

#include "core/ops/continuous_filter_simd.h"

}  // namespace filter_plain

struct FilterKernels {
  void (*filter)(const float*, const float*, std::int64_t, const FilterLinks&, std::int64_t, std::int64_t, bool,
                 float*);
  void (*table_gradient)(const float*, const float*, std::int64_t, const FilterCells&, std::int64_t, std::int64_t,
                         float*, float*);
};

// Finds the kernels of a named instruction set, or the best ones for an empty name; null if this processor lacks it.
const FilterKernels* find_filter_kernels(std::string_view name) {
#ifdef PAIRS_FILTER_SIMD
  static constexpr FilterKernels avx512{filter_avx512::filter, filter_avx512::table_gradient},
      avx2{filter_avx2::filter, filter_avx2::table_gradient};
  if ((name.empty() || name == "avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return &avx512;
  if ((name.empty() || name == "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
  static constexpr FilterKernels plain{filter_plain::filter, filter_plain::table_gradient};
  return name.empty() || name == "plain" ? &plain : nullptr;
}

std::atomic<const FilterKernels*>& chosen_filter_kernels() {
  static std::atomic<const FilterKernels*> chosen = find_filter_kernels("");
  return chosen;
}

const FilterKernels& filter_kernels() {
  return *chosen_filter_kernels();
}

// Parts of a plan on the CPU. The first has one element more than there are rows.
enum Part { kOffsets = 1, kBegin, kSender, kCell, kWeights, kCellBegin, kCellReceiver, kCellSender, kCellWeights };

constexpr std::int64_t kCellsAtOnce = 32;  // cells whose gradients one thread computes at once

// Weights of cubic interpolation through points at -1, 0, 1 and 2.
void cubic_weights(double t, float* weight) {
  weight[0] = static_cast<float>(-t * (t - 1) * (t - 2) / 6);
  weight[1] = static_cast<float>((t + 1) * (t - 1) * (t - 2) / 2);
  weight[2] = static_cast<float>(-(t + 1) * t * (t - 2) / 2);
  weight[3] = static_cast<float>((t + 1) * t * (t - 1) / 6);
}

std::vector<Tensor> make_plan(const Tensor& start, const Tensor& index, const Tensor& distance, const Tensor& offsets,
                              double spacing, std::int64_t points, bool gradients) {
  const std::int64_t rows = start.size(0) - 1, edges = index.size(0), cells = points - 3;
  const auto* at = start.const_data_ptr<std::int64_t>();
  const auto* near = index.const_data_ptr<std::int32_t>();
  const auto* apart = distance.const_data_ptr<double>();
  PAIRS_CHECK(edges < INT32_MAX, "{} neighbors at once are too many: give fewer rows", edges);
  const Tensor begin = at::empty({2 * rows + 1}, at::kInt), sender = at::empty({edges}, at::kInt),
               cell = at::empty({edges}, at::kInt), weights = at::empty({edges, 4}, at::kFloat);
  auto *to_begin = begin.mutable_data_ptr<std::int32_t>(), *to_sender = sender.mutable_data_ptr<std::int32_t>(),
       *to_cell = cell.mutable_data_ptr<std::int32_t>();
  auto* to_weights = weights.mutable_data_ptr<float>();
  std::int32_t links = 0;
  const auto add = [&](std::int64_t edge) {
    const double place = apart[edge] / spacing;
    PAIRS_CHECK(place <= static_cast<double>(cells) * (1 + 1e-12),
                "a neighbor at distance {} lies beyond the filter's table, which ends at {}", apart[edge],
                spacing * static_cast<double>(cells));
    const std::int64_t c = std::min(cells - 1, static_cast<std::int64_t>(place));
    to_sender[links] = near[edge];
    to_cell[links] = static_cast<std::int32_t>(c);
    cubic_weights(place - static_cast<double>(c), to_weights + 4 * static_cast<std::int64_t>(links));
    ++links;
  };
  // Rows are ascending, and so are each row's neighbors: `next` advances once through those of every row.
  std::vector<std::int64_t> next(at, at + rows), one_way;
  for (std::int64_t i = 0; i < rows; ++i) {
    to_begin[2 * i] = links;
    one_way.clear();
    for (std::int64_t e = at[i]; e < at[i + 1]; ++e) {
      const std::int64_t j = near[e];
      std::int64_t& walk = next[static_cast<std::size_t>(j)];
      while (walk < at[j + 1] && near[walk] < i) ++walk;
      if (walk >= at[j + 1] || near[walk] != i)
        one_way.push_back(e);
      else if (j > i)
        add(e);
    }
    to_begin[2 * i + 1] = links;
    for (const std::int64_t e : one_way) add(e);
  }
  to_begin[2 * rows] = links;
  std::vector<Tensor> plan = {start, offsets, begin, sender, cell, weights};
  if (!gradients) return plan;

  const Tensor cell_begin = at::zeros({cells + 1}, at::kInt), by_receiver = at::empty({links}, at::kInt),
               by_sender = at::empty({links}, at::kInt), by_weights = at::empty({links, 4}, at::kFloat);
  auto *first = cell_begin.mutable_data_ptr<std::int32_t>(), *receivers = by_receiver.mutable_data_ptr<std::int32_t>(),
       *senders = by_sender.mutable_data_ptr<std::int32_t>();
  auto* sorted = by_weights.mutable_data_ptr<float>();
  for (std::int32_t k = 0; k < links; ++k) ++first[to_cell[k] + 1];
  for (std::int64_t c = 0; c < cells; ++c) first[c + 1] += first[c];
  std::vector<std::int32_t> to(first, first + cells);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int32_t k = to_begin[2 * i]; k < to_begin[2 * i + 2]; ++k) {
      const std::int64_t place = to[static_cast<std::size_t>(to_cell[k])]++;
      receivers[place] = static_cast<std::int32_t>(i);
      senders[place] = k < to_begin[2 * i + 1] ? ~to_sender[k] : to_sender[k];
      std::copy_n(to_weights + 4 * static_cast<std::int64_t>(k), 4, sorted + 4 * place);
    }
  for (const Tensor& part : {cell_begin, by_receiver, by_sender, by_weights}) plan.push_back(part);
  return plan;
}

const std::int32_t* ints(at::TensorList plan, Part part) {
  return plan[part].const_data_ptr<std::int32_t>();
}

Tensor filtered(const Tensor& x, const Tensor& table, at::TensorList plan, bool transposed) {
  const Tensor y = at::zeros(x.sizes(), x.options());
  const std::int64_t width = x.size(1), segments = plan[kOffsets].size(0) - 1;
  const FilterLinks links{ints(plan, kBegin), ints(plan, kSender), ints(plan, kCell),
                          plan[kWeights].const_data_ptr<float>()};
  const auto* offsets = plan[kOffsets].const_data_ptr<std::int64_t>();
  const float *from = x.const_data_ptr<float>(), *points = table.const_data_ptr<float>();
  float* to = y.mutable_data_ptr<float>();
  // Links stay within a segment, which is processed by one thread.
  at::parallel_for(0, segments, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m)
      filter_kernels().filter(from, points, width, links, offsets[m], offsets[m + 1], transposed, to);
  });
  return y;
}

Tensor filter_forward(const Tensor& x, const Tensor& table, at::TensorList plan) {
  return filtered(x, table, plan, false);
}

Tensor gradient_of_table(const Tensor& grad, const Tensor& x, const Tensor& table, at::TensorList plan) {
  const std::int64_t width = x.size(1), cells = table.size(0) - 3;
  const std::int64_t chunks = (cells + kCellsAtOnce - 1) / kCellsAtOnce;
  const Tensor out = at::empty(table.sizes(), table.options()), after = at::empty({chunks, 3, width}, table.options());
  const FilterCells by{ints(plan, kCellBegin), ints(plan, kCellReceiver), ints(plan, kCellSender),
                       plan[kCellWeights].const_data_ptr<float>()};
  const float *slope = grad.const_data_ptr<float>(), *from = x.const_data_ptr<float>();
  float *to = out.mutable_data_ptr<float>(), *rest = after.mutable_data_ptr<float>();
  std::atomic<std::int64_t> next{0};
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    for (std::int64_t c = next++; c < chunks; c = next++)
      filter_kernels().table_gradient(slope, from, width, by, c * kCellsAtOnce, std::min(cells, (c + 1) * kCellsAtOnce),
                                      to, rest + 3 * c * width);
  });
  std::fill_n(to + cells * width, 3 * width, 0.0f);
  for (std::int64_t c = 0; c < chunks; ++c) {
    float* row = to + std::min(cells, (c + 1) * kCellsAtOnce) * width;
    for (std::int64_t k = 0; k < 3 * width; ++k) row[k] += rest[3 * c * width + k];
  }
  return out;
}

std::tuple<Tensor, Tensor> filter_backward(const Tensor& grad, const Tensor& x, const Tensor& table,
                                           at::TensorList plan, bool need_x, bool need_table) {
  const Tensor none = at::empty({0}, x.options());
  return {need_x ? filtered(grad, table, plan, true) : none,
          need_table ? gradient_of_table(grad, x, table, plan) : none};
}

}  // namespace

bool use_filter_instructions(std::string_view name) {
  const FilterKernels* kernels = find_filter_kernels(name);
  if (kernels != nullptr) chosen_filter_kernels() = kernels;
  return kernels != nullptr;
}

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("continuous_filter_plan", make_plan);
  m.impl("continuous_filter_forward", filter_forward);
  m.impl("continuous_filter_backward", filter_backward);
}

}  // namespace pairs::ops
