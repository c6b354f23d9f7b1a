#pragma once

#include <torch/types.h>

#include <functional>

namespace pairs::ops {

// Work that is recorded once and then done again as a whole: on a GPU by one launch of a CUDA graph in place of one an
// operator. Recorded work must not wait for the device or read values from it; it finds its inputs, and leaves its
// results, where they lay when it was recorded. On the CPU the work itself is run again.
class WorkGraph {
 public:
  // On a GPU runs `work` once for what it asks of the device, which does nothing yet; what `work` throws passes on, and
  // work that cannot be recorded throws Error. On the CPU keeps `work`.
  WorkGraph(const torch::Device& device, std::function<void()> work);
  ~WorkGraph();
  WorkGraph(const WorkGraph&) = delete;
  WorkGraph& operator=(const WorkGraph&) = delete;

  // Does the work, in order with what else the thread asks of the device; does not wait for it.
  void repeat();

 private:
  torch::Tensor on_;  // an empty tensor that tells the device
  std::function<void()> work_;
  std::int64_t graph_ = 0;  // of the CUDA module
};

}  // namespace pairs::ops
