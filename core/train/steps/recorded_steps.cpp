#include "core/train/steps/recorded_steps.h"

#include <ATen/Functions.h>

#include <optional>
#include <utility>

#include "core/base/text/error.h"
#include "core/nn/draws.h"
#include "core/ops/work_graph.h"

namespace pairs {
namespace {

// The largest number of recorded shapes: each keeps a step's memory.
constexpr std::size_t kShapes = 4;

}  // namespace

// Inputs of one shape: their tensors for the recording, and its results.
struct RecordedSteps::Shape {
  std::vector<torch::Tensor> inputs;
  DrawList draws;
  std::int64_t steps = 0;
  torch::Tensor value;
  std::vector<torch::Tensor> gradients;
  std::optional<ops::WorkGraph> graph;

  bool fits(const std::vector<torch::Tensor>& others) const {
    if (others.size() != inputs.size()) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].defined() != others[i].defined()) return false;
      if (inputs[i].defined() &&
          (inputs[i].sizes() != others[i].sizes() || inputs[i].scalar_type() != others[i].scalar_type()))
        return false;
    }
    return true;
  }

  void take(const std::vector<torch::Tensor>& others) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].defined()) inputs[i].copy_(others[i]);
  }
};

RecordedSteps::RecordedSteps(const std::map<std::string, torch::Tensor>& parameters, const torch::Device& device,
                             bool on, LossOf loss, std::function<void(const std::string&)> warn)
    : device_(device), on_(on), loss_(std::move(loss)), warn_(std::move(warn)) {
  for (const auto& [name, tensor] : parameters) parameters_.push_back(tensor);
}

RecordedSteps::~RecordedSteps() = default;

RecordedSteps::Shape* RecordedSteps::shape_of(const std::vector<torch::Tensor>& inputs) {
  for (const auto& shape : shapes_)
    if (shape->fits(inputs)) return shape.get();
  if (shapes_.size() == kShapes) return nullptr;
  shapes_.push_back(std::make_unique<Shape>());
  for (const torch::Tensor& input : inputs)
    shapes_.back()->inputs.push_back(input.defined() ? at::empty_like(input, at::MemoryFormat::Contiguous)
                                                     : torch::Tensor());
  return shapes_.back().get();
}

torch::Tensor RecordedSteps::one_by_one(const std::vector<torch::Tensor>& inputs) {
  const Loss loss = loss_(inputs);
  loss.total().backward();
  return loss.value.detach();
}

void RecordedSteps::record(Shape& shape) {
  shape.graph.emplace(device_, [this, &shape] {
    const DrawList::Giving draws(shape.draws);
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    shape.value = one_by_one(shape.inputs);
    shape.gradients.clear();
    for (torch::Tensor& parameter : parameters_)
      shape.gradients.push_back(std::exchange(parameter.mutable_grad(), torch::Tensor()));
  });
}

torch::Tensor RecordedSteps::gradients(const std::vector<torch::Tensor>& inputs, std::uint64_t key) {
  Shape* const shape = on_ ? shape_of(inputs) : nullptr;
  if (shape == nullptr) return one_by_one(inputs);
  ++shape->steps;
  if (shape->steps < kBefore) return one_by_one(inputs);
  if (shape->steps == kBefore) {
    const DrawList::Taking draws(shape->draws);
    return one_by_one(inputs);
  }
  if (!shape->graph) {
    try {
      record(*shape);
    } catch (const Error& error) {
      on_ = false;
      shapes_.clear();
      for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
      warn_(error.what());
      return one_by_one(inputs);
    }
  }
  shape->take(inputs);
  shape->draws.redraw(key);
  shape->graph->repeat();
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = shape->gradients[i];
  ++repeated_;
  return shape->value.clone();
}

}  // namespace pairs
