#include "core/train/steps/recorded_steps.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "core/nn/adamw.h"
#include "core/nn/draws.h"
#include "core/train/stages/set_gradients.h"
#include "tests/core/train/toy_image_task.h"
#include "tests/core/train/toy_task.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using Named = std::map<std::string, torch::Tensor>;

void unexpected(const std::string& why) {
  ADD_FAILURE() << why;
}

// Losses and weights of a training, and how many of its steps were repeated.
struct Trained {
  std::vector<double> losses;
  Named weights;
  std::int64_t repeated = 0;
};

// Twelve steps on batches of so many sets in turn.
Trained train(const std::shared_ptr<const Task>& task, const EstimatorConfig& config, const torch::Device& device,
              bool on, const std::vector<std::int64_t>& batches) {
  Estimator estimator(task, config, 1);
  estimator.to(device);
  estimator.train(true);
  Named parameters = estimator.embedder_parameters();
  parameters.merge(estimator.head_parameters());
  AdamW adam(parameters, {.clip = 1});
  const SetSource source(task, 3, {1, 2}, 0, 8);
  RecordedSteps recorded = recorded_set_steps(estimator, parameters, on, unexpected);
  Trained out;
  for (std::int64_t k = 0; k < 12; ++k) {
    const std::int64_t sets = batches[static_cast<std::size_t>(k) % batches.size()];
    const SetBatch batch = source.timed(100 * k, sets, device);
    const torch::Tensor loss =
        set_gradients(estimator, source, batch, static_cast<std::uint64_t>(k), SetSource::kAll, {}, &recorded);
    adam.step_unread(1e-2, loss);
    adam.zero_grad();
    out.losses.push_back(loss.item<double>());
  }
  for (const auto& [name, tensor] : parameters) out.weights[name] = tensor.detach().to(torch::kCPU).clone();
  out.repeated = recorded.repeated();
  return out;
}

void expect_same(const Trained& recorded, const Trained& plain, std::int64_t repeated) {
  EXPECT_EQ(recorded.repeated, repeated);
  EXPECT_EQ(plain.repeated, 0);
  EXPECT_EQ(recorded.losses, plain.losses);
  for (const auto& [name, tensor] : plain.weights) EXPECT_TRUE(torch::equal(recorded.weights.at(name), tensor)) << name;
}

PAIRS_DEVICE_TEST(RecordedSteps, AreThoseOfEveryHead) {
  const auto task = std::make_shared<ToyTask>();
  for (const std::string kind : {"spline", "umnn", "gaussian", "mixture"}) {
    SCOPED_TRACE(kind);
    EstimatorConfig config = toy_estimator();
    config.head.kind = kind;
    expect_same(train(task, config, device, true, {8}), train(task, config, device, false, {8}), 9);
  }
}

// Dropout and the noise of flow matching: a repeated step that drew what the recorded one drew would be another's.
PAIRS_DEVICE_TEST(RecordedSteps, DrawAnew) {
  const auto task = std::make_shared<ToyImageTask>();
  EstimatorConfig config = toy_image_estimator();
  config.embedder.kind = "resnet";
  config.embedder.size = 8;
  set_fields(config, {"embedder.channels=8,8", "embedder.projection=16", "embedder.dropout=0.5"});
  expect_same(train(task, config, device, true, {4}), train(task, config, device, false, {4}), 9);
}

// Each shape is recorded by itself; of five the fifth never is.
PAIRS_DEVICE_TEST(RecordedSteps, MayHaveSeveralShapes) {
  const auto task = std::make_shared<ToyTask>();
  const EstimatorConfig config = toy_estimator();
  expect_same(train(task, config, device, true, {8, 6}), train(task, config, device, false, {8, 6}), 6);
  expect_same(train(task, config, device, true, {4, 6, 8}), train(task, config, device, false, {4, 6, 8}), 3);
}

// A step that waits for the device cannot be recorded: a message appears once, and the step runs nonetheless.
TEST(RecordedSteps, SayWhyTheyAreNotRecorded_CUDA) {
  PAIRS_NEEDS_CUDA();
  const torch::Device device = choose_device("cuda");
  const torch::Tensor weight = torch::ones({2}, device).requires_grad_(true);
  std::vector<std::string> reported;
  RecordedSteps steps(
      {{"weight", weight}}, device, true,
      [&](const std::vector<torch::Tensor>& in) {
        const torch::Tensor value = (weight * in[0]).sum();
        return Loss{value * value.item<double>(), {}};
      },
      [&](const std::string& why) { reported.push_back(why); });
  for (int k = 1; k < 8; ++k) {
    const torch::Tensor loss = steps.gradients({torch::full({2}, double(k), device)}, 0);
    EXPECT_EQ(loss.item<double>(), 4.0 * k * k);
    EXPECT_EQ(weight.grad().sum().item<double>(), 4.0 * k * k);
    weight.mutable_grad().reset();
  }
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("cannot be recorded"), std::string::npos) << reported[0];
  EXPECT_EQ(steps.repeated(), 0);
}

TEST(DrawList, GivesWhatItTookAndDrawsAnew) {
  const MakeDraw make = [](std::uint64_t key) {
    return std::vector{torch::full({2}, static_cast<double>(key)), torch::full({1}, -static_cast<double>(key))};
  };
  DrawList list;
  {
    const DrawList::Taking taking(list);
    EXPECT_EQ(drawn(3, torch::kCPU, make)[0][1].item<double>(), 3);
  }
  EXPECT_EQ(drawn(5, torch::kCPU, make)[0][0].item<double>(), 5);
  const DrawList::Giving giving(list);
  const std::vector<torch::Tensor> given = drawn(4, torch::kCPU, make);
  EXPECT_EQ(given[0][0].item<double>(), 3);
  list.redraw(7);
  EXPECT_EQ(given[0][0].item<double>(), 7);
  EXPECT_EQ(given[1][0].item<double>(), -7);
  EXPECT_THROW(drawn(4, torch::kCPU, make), Error);
}

}  // namespace
}  // namespace pairs
