#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace pairs {

// What determines whether ranks can exchange tensors of their GPUs over NCCL.
struct NcclPlace {
  std::string gpu;      // identifies the GPU among those of all machines
  std::string problem;  // why NCCL cannot be used here, in one sentence without its full stop; "" if it can
};
// Whether a GPU can use NCCL.
NcclPlace nccl_place(const torch::Device& device);

// NCCL's connection of two GPUs of different processes. It only transfers bytes and adds nothing, so that results do
// not depend on the route.
class NcclPair {
 public:
  // Called while this rank waits for the other; an exception ends the wait.
  using StillThere = std::function<void()>;

  // Names a new pair: one member creates the name and sends it to the other.
  static std::string new_name(const torch::Device& device);

  // Joins the pair of that name as member 0 or 1, both at the same time; `size` = 1: a pair of this member alone.
  // Throws Error with NCCL's message if they do not find each other.
  NcclPair(const torch::Device& device, const std::string& name, int member, int size, const StillThere& still_there);
  // Drops the connection, including pending transfers.
  ~NcclPair();
  NcclPair(const NcclPair&) = delete;
  NcclPair& operator=(const NcclPair&) = delete;

  // Gathers the vectors [n] of both members, on the device and of one type, in the order of the members: [size, n].
  // Waits for the device. Throws Error with NCCL's message.
  torch::Tensor gather(const torch::Tensor& own, const StillThere& still_there);

 private:
  void wait(const StillThere& still_there) const;
  void leave() const;

  torch::Tensor on_;  // an empty tensor on the device
  std::int64_t size_, pair_ = 0;
};

}  // namespace pairs
