#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// square[j] = squared distance of place `from` from place j, places as columns x, y, z of length n.
PAIRS_SIMD_CLONES void squared_distances(const double* places, std::int64_t n, std::int64_t from, double* square) {
  const double *x = places, *y = places + n, *z = places + 2 * n;
  const double px = x[from], py = y[from], pz = z[from];
  for (std::int64_t j = 0; j < n; ++j) {
    const double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    square[j] = dx * dx + dy * dy + dz * dz;
  }
}

// Finds one segment's neighbors, row by row, written consecutively; and counts for each row. Returns the total.
class SegmentSearch {
 public:
  SegmentSearch(double cutoff, std::int64_t most) : limit_(cutoff * cutoff), most_(most) {}

  std::int64_t operator()(const double* places, std::int64_t first, std::int64_t n, std::int64_t* counts,
                          std::int32_t* index, double* distance) {
    columns_.resize(static_cast<std::size_t>(3 * n));
    square_.resize(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t c = 0; c < 3; ++c) columns_[static_cast<std::size_t>(c * n + j)] = places[3 * (first + j) + c];
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      squared_distances(columns_.data(), n, i, square_.data());
      const auto [bound, equal] = farthest(i);
      std::int64_t left = equal, begin = total;
      for (std::int64_t j = 0; j < n; ++j) {
        const double d = square_[static_cast<std::size_t>(j)];
        if (j == i || !(d <= bound)) continue;
        if (d == bound && left-- <= 0) continue;
        index[total] = static_cast<std::int32_t>(first + j);
        distance[total++] = std::sqrt(d);
      }
      counts[i] = total - begin;
    }
    return total;
  }

 private:
  struct Farthest {
    double bound;        // squared distance of the farthest neighbor
    std::int64_t equal;  // how many at exactly that distance are neighbors
  };
  Farthest farthest(std::int64_t i) {
    near_.clear();
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(square_.size()); ++j)
      if (j != i && square_[static_cast<std::size_t>(j)] < limit_)
        near_.push_back(square_[static_cast<std::size_t>(j)]);
    if (near_.empty()) return {-1, 0};
    const auto last = near_.begin() + (std::min<std::int64_t>(most_, static_cast<std::int64_t>(near_.size())) - 1);
    std::nth_element(near_.begin(), last, near_.end());
    return {*last, 1 + std::count(near_.begin(), last, *last)};
  }

  double limit_;
  std::int64_t most_;
  std::vector<double> columns_, square_, near_;
};

std::tuple<Tensor, Tensor, Tensor> find_neighbors(const Tensor& places, const Tensor& offsets, double cutoff,
                                                  std::int64_t most) {
  const std::int64_t rows = places.size(0), segments = offsets.size(0) - 1;
  const std::int64_t* at = offsets.const_data_ptr<std::int64_t>();
  PAIRS_CHECK(at[0] == 0 && at[segments] == rows, "segment offsets must run from 0 to {} rows, not {} to {}", rows,
              at[0], at[segments]);
  // Each segment writes to an area of its maximum size; then the gaps are closed.
  std::vector<std::int64_t> room(static_cast<std::size_t>(segments) + 1), found(static_cast<std::size_t>(segments));
  for (std::int64_t m = 0; m < segments; ++m) {
    const std::int64_t n = at[m + 1] - at[m];
    PAIRS_CHECK(n >= 0, "segment {} runs from row {} to {}: offsets must ascend", m, at[m], at[m + 1]);
    room[static_cast<std::size_t>(m) + 1] =
        room[static_cast<std::size_t>(m)] + n * std::min(most, std::max<std::int64_t>(0, n - 1));
  }
  const Tensor start = at::zeros({rows + 1}, at::kLong);
  const Tensor loose_index = at::empty({room.back()}, at::kInt), loose_distance = at::empty({room.back()}, at::kDouble);
  const double* place = places.const_data_ptr<double>();
  auto* counts = start.mutable_data_ptr<std::int64_t>();
  auto* index = loose_index.mutable_data_ptr<std::int32_t>();
  auto* distance = loose_distance.mutable_data_ptr<double>();
  at::parallel_for(0, segments, 4, [&](std::int64_t begin, std::int64_t end) {
    SegmentSearch search(cutoff, most);
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t to = room[static_cast<std::size_t>(m)];
      found[static_cast<std::size_t>(m)] =
          search(place, at[m], at[m + 1] - at[m], counts + 1 + at[m], index + to, distance + to);
    }
  });
  for (std::int64_t i = 0; i < rows; ++i) counts[i + 1] += counts[i];
  std::int64_t total = 0;
  for (std::int64_t m = 0; m < segments; ++m) {
    const std::int64_t from = room[static_cast<std::size_t>(m)], count = found[static_cast<std::size_t>(m)];
    if (from != total) {
      std::copy_n(index + from, count, index + total);
      std::copy_n(distance + from, count, distance + total);
    }
    total += count;
  }
  return {start, loose_index.narrow(0, 0, total), loose_distance.narrow(0, 0, total)};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("neighbors", find_neighbors);
}

}  // namespace pairs::ops
