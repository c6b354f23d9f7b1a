#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// Computes gradients of a loss on a GPU that would otherwise wait for operators to be launched one by one: after a few
// steps on inputs of one shape, the operators of a step and its gradients are recorded and from then on launched as a
// whole (ops::WorkGraph). The results are identical bit for bit.
class RecordedSteps {
 public:
  // Steps on inputs of a shape before recording: libraries allocate what they cache for a shape on its first use.
  static constexpr std::int64_t kBefore = 3;

  // The loss, with a graph, of inputs on the device; undefined inputs are passed on. Its random numbers come from
  // drawn(); it neither copies anything to the device nor waits for it.
  using LossOf = std::function<Loss(const std::vector<torch::Tensor>& inputs)>;

  // Computes gradients of these parameters, on which the loss depends. `on` = false: every step launches its operators
  // one by one. `warn` is called once if steps cannot be recorded; they continue as if `on` were false.
  RecordedSteps(const std::map<std::string, torch::Tensor>& parameters, const torch::Device& device, bool on,
                LossOf loss, std::function<void(const std::string&)> warn);
  ~RecordedSteps();

  // Sets the parameters' gradients, which must be undefined, to those of the loss of `inputs`; returns its value,
  // detached, without waiting for the device. Random numbers of the loss are a pure function of `key`.
  torch::Tensor gradients(const std::vector<torch::Tensor>& inputs, std::uint64_t key);

  // Steps that were launched from a recording.
  std::int64_t repeated() const { return repeated_; }

 private:
  struct Shape;
  Shape* shape_of(const std::vector<torch::Tensor>& inputs);
  torch::Tensor one_by_one(const std::vector<torch::Tensor>& inputs);
  void record(Shape& shape);

  std::vector<torch::Tensor> parameters_;
  torch::Device device_;
  bool on_;
  LossOf loss_;
  std::function<void(const std::string&)> warn_;
  std::vector<std::unique_ptr<Shape>> shapes_;
  std::int64_t repeated_ = 0;
};

}  // namespace pairs
