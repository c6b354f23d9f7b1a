#include "core/parallel/slot_sum.h"

#include <utility>

#include "core/base/text/error.h"

namespace pairs {

void SlotSum::add(torch::Tensor values) {
  open_.push_back({1, std::move(values)});
  while (open_.size() > 1 && open_.back().slots == open_[open_.size() - 2].slots) {
    const Branch right = std::move(open_.back());
    open_.pop_back();
    open_.back().sum.add_(right.sum);
    open_.back().slots += right.slots;
  }
}

torch::Tensor SlotSum::total() const {
  PAIRS_CHECK(open_.size() == 1, "A sum over slots was ended in the midst of its tree: {} branches are open",
              open_.size());
  return open_.front().sum;
}

}  // namespace pairs
