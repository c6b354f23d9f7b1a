#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace pairs {

// What decides whether ranks can exchange tensors of their GPUs over NCCL.
struct NcclPlace {
  std::string gpu;      // which GPU it is, among those of all machines
  std::string problem;  // why NCCL cannot be used here, in one sentence without its stop; "" when it can
};
// Of a GPU.
NcclPlace nccl_place(const torch::Device& device);

// NCCL's connection of two GPUs, each of another process. It moves bytes and adds up nothing, so that what arrives does
// not depend on how it travels.
class NcclPair {
 public:
  // Called while this rank waits for the other; what it throws ends the wait.
  using StillThere = std::function<void()>;

  // Names a pair that is to be: one member makes it and tells the other.
  static std::string new_name(const torch::Device& device);

  // Joins the pair of that name as member 0 or 1, both at the same time; `size` = 1: a pair of this one alone. Throws
  // Error with what NCCL says where they do not find each other.
  NcclPair(const torch::Device& device, const std::string& name, int member, int size, const StillThere& still_there);
  // Gives the connection up, also what is under way on it.
  ~NcclPair();
  NcclPair(const NcclPair&) = delete;
  NcclPair& operator=(const NcclPair&) = delete;

  // Vectors [n] of both members, on the device and of one type, in the order of the members: [size, n]. Waits for the
  // device. Throws Error with what NCCL says.
  torch::Tensor gather(const torch::Tensor& own, const StillThere& still_there);

 private:
  void wait(const StillThere& still_there) const;
  void leave() const;

  torch::Tensor on_;  // an empty tensor that tells the device
  std::int64_t size_, pair_ = 0;
};

}  // namespace pairs
