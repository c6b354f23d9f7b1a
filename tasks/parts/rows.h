#pragma once

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/numbers/fast_normal.h"
#include "core/sets/index_map.h"
#include "core/task.h"

namespace pairs {

// Draws the latents of the sets `indices`: draw(stream, theta, psi) fills one set's rows from its stream.
template <class Draw>
Latents draw_latents(const TaskInfo& info, std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices,
                     Draw draw) {
  const std::uint64_t key = stream_key(seed, purpose);
  const auto sets = static_cast<std::int64_t>(indices.size());
  const auto targets = static_cast<std::int64_t>(info.targets.size());
  const auto nuisances = static_cast<std::int64_t>(info.nuisances.size());
  Latents out{at::empty({sets, targets}, torch::kFloat64), at::empty({sets, nuisances}, torch::kFloat64)};
  double* theta = out.theta.mutable_data_ptr<double>();
  double* psi = out.psi.mutable_data_ptr<double>();
  at::parallel_for(0, sets, 512, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Stream stream(key, static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]), index_map::kLatentItem);
      draw(stream, theta + targets * i, psi + nuisances * i);
    }
  });
  return out;
}

// Rows of an observation tensor: range k has rows offsets()[k] .. offsets()[k + 1] - 1. Checks the ranges: usage errors
// name the first one out of bounds, or a number of latents rows that differs from the number of ranges.
class Rows {
 public:
  Rows(std::span<const SetRange> ranges, const Latents& latents, const TaskInfo& info);

  std::int64_t total() const { return offsets_.back(); }

  // Calls visit(k, first item, count, row) for each piece of a range in rows begin .. end - 1, in order.
  template <class Visit>
  void pieces(std::int64_t begin, std::int64_t end, Visit visit) const {
    std::size_t k = range_of(begin);
    while (begin < end) {
      const std::int64_t stop = offsets_[k + 1] < end ? offsets_[k + 1] : end;
      if (stop > begin) visit(k, ranges_[k].first + (begin - offsets_[k]), stop - begin, begin);
      begin = stop;
      ++k;
    }
  }

  // Calls body(items, begin, end) for blocks of at most ItemCounters::capacity rows, on all threads.
  template <class Body>
  void blocks(Body body) const {
    at::parallel_for(0, total(), 8 * ItemCounters::capacity, [&](std::int64_t begin, std::int64_t end) {
      ItemCounters items;
      for (std::int64_t row = begin; row < end; row += ItemCounters::capacity) {
        const std::int64_t stop = std::min(row + ItemCounters::capacity, end);
        items.clear();
        pieces(row, stop, [&](std::size_t k, std::int64_t first, std::int64_t count, std::int64_t) {
          items.append(static_cast<std::uint64_t>(ranges_[k].index), static_cast<std::uint64_t>(first), count);
        });
        body(items, row, stop);
      }
    });
  }

 private:
  std::size_t range_of(std::int64_t row) const;

  std::span<const SetRange> ranges_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace pairs
