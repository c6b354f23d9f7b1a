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

// Gradients of a loss for a GPU that is kept waiting by its operators being asked for one by one: after a few steps on
// inputs of one shape, the operators of a step and of its gradients are recorded and from then on launched as a whole
// (ops::WorkGraph). The results are the same, bit for bit.
class RecordedSteps {
 public:
  // Steps on inputs of a shape before it is recorded: libraries make what they keep for a shape when they first see it.
  static constexpr std::int64_t kBefore = 3;

  // The loss, with a graph, of inputs on the device; undefined ones are passed on. What it draws comes from drawn(); it
  // neither sends anything to the device nor waits for it.
  using LossOf = std::function<Loss(const std::vector<torch::Tensor>& inputs)>;

  // Of these parameters, which the loss depends on. `on` = false: every step is asked for operator by operator.
  // `warn` is told, once, where steps turn out not to be recordable; they go on as if `on` were false.
  RecordedSteps(const std::map<std::string, torch::Tensor>& parameters, const torch::Device& device, bool on,
                LossOf loss, std::function<void(const std::string&)> warn);
  ~RecordedSteps();

  // Sets the parameters' gradients, which were undefined, to those of the loss of `inputs`; returns its value,
  // detached, without waiting for the device. `key`: what the loss draws is a pure function of it.
  torch::Tensor gradients(const std::vector<torch::Tensor>& inputs, std::uint64_t key);

  // Steps done by launching what was recorded.
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
