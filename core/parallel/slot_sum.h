#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace pairs {

// Sums the values of a power of two of slots in the order of a binary tree over their numbers: (0 + 1) + (2 + 3), and
// so on. An aligned part of the slots forms a branch of the tree, so that the total is the same bit for bit whether one
// rank adds all slots or several add a branch each, followed by the branches in their order.
class SlotSum {
 public:
  // Adds the values of the next slot or branch; the sum takes over the tensor.
  void add(torch::Tensor values);
  // The sum of everything added. Throws Error if the count is not a power of two.
  torch::Tensor total() const;

 private:
  struct Branch {
    std::int64_t slots;
    torch::Tensor sum;
  };
  std::vector<Branch> open_;  // branches with ever fewer slots
};

}  // namespace pairs
