#include "core/train/stages/set_gradients.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/text/error.h"
#include "core/nn/adamw.h"
#include "core/train/stages/stage_tools.h"
#include "tests/core/train/toy_image_task.h"
#include "tests/core/train/toy_task.h"
#include "tests/scaled_pool.h"

// A step in parts against the same step on the whole batch, for every kind of head and of embedder that draws.

namespace pairs {
namespace {

// Remembers the most observations that it was asked for at once.
template <class Base>
class Counting : public Base {
 public:
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::int64_t total = 0;
    for (const SetRange& range : ranges) total += range.count;
    most = std::max<std::int64_t>(most, total);
    return Base::observe(latents, seed, purpose, ranges, device);
  }
  mutable std::int64_t most = 0;
};

EstimatorConfig with_head(const std::string& kind) {
  EstimatorConfig config = toy_estimator();
  set_fields(config, {"head.conditioner=16", "head.conditioner_size=4", "head.integrand=8"});
  config.head.kind = kind;
  return config;
}

EstimatorConfig images(const std::string& embedder) {
  EstimatorConfig config = toy_image_estimator();
  config.embedder.kind = embedder;
  config.embedder.size = 8;
  set_fields(config, {"embedder.channels=8,8", "embedder.kernels=3,3", "embedder.projection=16", "embedder.dropout=0.5",
                      "head.summary=0.5", "head.time_power=3"});
  return config;
}

using Gradients = std::map<std::string, torch::Tensor>;

Gradients parameters_of(const Estimator& estimator) {
  Gradients all = estimator.embedder_parameters();
  all.merge(estimator.head_parameters());
  return all;
}

// Loss and gradients of a step, and the weights after it.
struct SetStep {
  double loss;
  Gradients gradients, after;
};

// Compares a batch of `sets` sets, whole and in parts of several sizes.
void compare(const std::shared_ptr<const Task>& task, std::int64_t& most, const EstimatorConfig& config,
             const std::vector<std::int64_t>& sizes, std::int64_t sets,
             const std::shared_ptr<const Pool>& pool = mean_pool()) {
  const SetSource source(task, 3, sizes, 0, 8);
  const auto step = [&](std::int64_t at_once) {
    Estimator estimator(task, config, 1);
    estimator.set_pool(pool);
    estimator.train(true);
    // A network fresh from its prior has zero layers: some steps away every parameter matters.
    AdamW adam(parameters_of(estimator), {.clip = 1});
    for (std::int64_t k = 0; k < 3; ++k) {
      set_gradients(estimator, source, source.training(0, k * sets, sets, 100 * sets, torch::kCPU), 7, SetSource::kAll,
                    {});
      adam.step(1e-2);
      adam.zero_grad();
    }
    most = 0;
    const SetBatch batch = source.training(1, 0, sets, sets, torch::kCPU, at_once);
    EXPECT_EQ(batch.x.defined(), at_once == SetSource::kAll);
    SetStep out;
    out.loss = set_gradients(estimator, source, batch, 11, at_once, {}).item<double>();
    if (at_once < SetSource::kAll) {
      EXPECT_LE(most, at_once) << "memory is bounded by the part";
    }
    for (const auto& [name, parameter] : parameters_of(estimator)) {
      if (parameter.grad().defined()) out.gradients[name] = parameter.grad().clone();
    }
    adam.step(1e-3);
    for (const auto& [name, parameter] : parameters_of(estimator)) out.after[name] = parameter.detach().clone();
    return out;
  };
  const SetStep whole = step(SetSource::kAll);
  double scale = 0;
  for (const auto& [name, gradient] : whole.gradients) scale = std::max(scale, gradient.abs().max().item<double>());
  ASSERT_GT(scale, 1e-3);
  for (const std::int64_t at_once : {1, 7, 64}) {
    const SetStep cut = step(at_once);
    EXPECT_NEAR(cut.loss, whole.loss, 1e-5 * std::max(1.0, std::abs(whole.loss))) << at_once;
    ASSERT_EQ(cut.gradients.size(), whole.gradients.size());
    double moved = 0, apart = 0;
    for (const auto& [name, gradient] : whole.gradients) {
      EXPECT_LT((cut.gradients.at(name) - gradient).abs().max().item<double>(), 2e-5 * scale) << name << " " << at_once;
      moved += gradient.abs().sum().item<double>() > 0 ? static_cast<double>(gradient.numel()) : 0;
      apart += (cut.after.at(name) - whole.after.at(name)).abs().sum().item<double>();
    }
    // Adam divides by the gradient's size, so that single weights whose gradient is rounding may move otherwise.
    EXPECT_LT(apart / moved, 1e-5) << at_once;
  }
}

template <class TaskKind>
void compare(const EstimatorConfig& config, const std::vector<std::int64_t>& sizes, std::int64_t sets,
             const std::shared_ptr<const Pool>& pool = mean_pool()) {
  const auto task = std::make_shared<Counting<TaskKind>>();
  compare(task, task->most, config, sizes, sets, pool);
}

TEST(SetGradients, SplineHead) {
  compare<ToyTask>(with_head("spline"), {1, 2, 90}, 12);
}
TEST(SetGradients, UmnnHead) {
  compare<ToyTask>(with_head("umnn"), {1, 2, 90}, 12);
}
TEST(SetGradients, GaussianRegression) {
  compare<ToyTask>(with_head("gaussian"), {1, 2, 90}, 12);
}
TEST(SetGradients, FlowMatchingWithASummary) {
  compare<ToyImageTask>(images("cnn"), {1, 30}, 6);
}
TEST(SetGradients, DropoutOfTheResNet) {
  compare<ToyImageTask>(images("resnet"), {1, 30}, 6);
}
// The slope of each observation is that of the estimator's pool.
TEST(SetGradients, AnotherPool) {
  compare<ToyTask>(with_head("spline"), {1, 2, 90}, 12, std::make_shared<ScaledPool>());
}
TEST(SetGradients, OneSetLargerThanAPart) {
  compare<ToyTask>(with_head("spline"), {700}, 1);
}

TEST(SetGradients, DropoutChangesTheStep) {
  const auto task = std::make_shared<ToyImageTask>();
  const SetSource source(task, 3, {2}, 0, 8);
  Estimator estimator(task, images("resnet"), 1);
  estimator.train(true);
  const SetBatch batch = source.training(0, 0, 4, 4, torch::kCPU);
  const auto embedding = [&](std::uint64_t key) {
    estimator.set_noise(key);
    return estimator.embedder().forward(batch.x);
  };
  EXPECT_FALSE(torch::allclose(embedding(1), embedding(2)));
}

TEST(SetGradients, AggregatesWithoutGradientsAreThoseOfTheWholeBatch) {
  const auto task = std::make_shared<Counting<ToyTask>>();
  const SetSource source(task, 3, {1, 5, 300}, 0, 30);
  Estimator estimator(task, toy_estimator(), 1);
  estimator.train(false);
  const torch::Tensor whole =
      set_aggregates(estimator, source, source.validation(0, 30, torch::kCPU), SetSource::kAll, {});
  task->most = 0;
  const torch::Tensor cut = set_aggregates(estimator, source, source.validation(0, 30, torch::kCPU, 50), 50, {});
  EXPECT_LE(task->most, 50);
  EXPECT_EQ(cut.sizes(), whole.sizes());
  EXPECT_LT((cut - whole).abs().max().item<double>(), 1e-6);
  EXPECT_FALSE(cut.requires_grad());
}

TEST(SetGradients, ARequestToStopIsHeardBetweenParts) {
  const auto task = std::make_shared<ToyTask>();
  const SetSource source(task, 3, {300}, 0, 4);
  Estimator estimator(task, toy_estimator(), 1);
  estimator.train(true);
  for (const int parts_before : {0, 3, 20, 50}) {
    int left = parts_before;
    EXPECT_THROW(set_gradients(estimator, source, source.training(0, 0, 4, 4, torch::kCPU, 40), 1, 40,
                               [&] { return left-- == 0; }),
                 Stopped);
  }
}

TEST(SetGradients, PartsCoverEveryObservationOnce) {
  const auto task = std::make_shared<ToyTask>();
  const SetSource source(task, 3, {1, 2, 10}, 0, 4);
  const SetBatch batch = source.training(0, 0, 9, 9, torch::kCPU, 0);
  const torch::Tensor whole = source.training(0, 0, 9, 9, torch::kCPU).x;
  for (const std::int64_t at_once : {1, 4, 1000}) {
    std::vector<torch::Tensor> seen;
    for (const SetPart& part : parts(batch, at_once)) {
      EXPECT_LE(part.count, at_once);
      seen.push_back(source.observe(batch, part));
      EXPECT_EQ(seen.back().size(0), part.count);
    }
    EXPECT_TRUE(torch::equal(at::cat(seen), whole)) << at_once;
  }
}

}  // namespace
}  // namespace pairs
