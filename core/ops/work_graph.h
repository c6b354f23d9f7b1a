#pragma once

#include <torch/types.h>

#include <functional>

namespace pairs::ops {

// Work that is recorded once and then repeated as a whole: on a GPU by launching a CUDA graph instead of single
// operators. Recorded work must not wait for the device or read values from it; its inputs and results stay where they
// were when it was recorded. On the CPU the work itself runs again.
class WorkGraph {
 public:
  // On a GPU, runs `work` once to record what it launches, which is not executed; exceptions of `work` are passed on,
  // and work that cannot be recorded throws Error. On the CPU, stores `work`.
  WorkGraph(const torch::Device& device, std::function<void()> work);
  ~WorkGraph();
  WorkGraph(const WorkGraph&) = delete;
  WorkGraph& operator=(const WorkGraph&) = delete;

  // Runs the work in order with the thread's other work on the device; does not wait for it.
  void repeat();

 private:
  torch::Tensor on_;  // an empty tensor on the device
  std::function<void()> work_;
  std::int64_t graph_ = 0;  // handle of the CUDA module's graph
};

}  // namespace pairs::ops
