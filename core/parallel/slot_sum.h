#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace pairs {

// The sum of what a power of two of slots give, in the order of a binary tree over their numbers: (0 + 1) + (2 + 3),
// and so on. An aligned part of the slots makes a branch of the tree, so that the total is the same to the bit whether
// one rank adds all slots or several add a branch each, and then the branches in their order.
class SlotSum {
 public:
  // The next slot's values, or the next branch's, which become the sum's own.
  void add(torch::Tensor values);
  // Of all that were added. Throws Error where they are no power of two.
  torch::Tensor total() const;

 private:
  struct Branch {
    std::int64_t slots;
    torch::Tensor sum;
  };
  std::vector<Branch> open_;  // of fewer and fewer slots
};

}  // namespace pairs
