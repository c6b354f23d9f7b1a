#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// Stream item from which a set's latents are drawn; observations are items 0, 1, 2, ...
inline constexpr std::uint64_t latent_item = 1ull << 47;

// Rows of an observation tensor: range k owns rows offsets()[k] .. offsets()[k + 1] - 1. Checks the ranges: usage
// errors name the first that is out of bounds, or a latents row count that differs from the number of ranges.
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

 private:
  std::size_t range_of(std::int64_t row) const;

  std::span<const SetRange> ranges_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace pairs
