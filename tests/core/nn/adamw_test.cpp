#include "core/nn/adamw.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "tests/on_device.h"
#include "tests/value_reads.h"

namespace pairs {
namespace {

using torch::Tensor;

std::vector<Tensor> start(torch::ScalarType type) {
  torch::manual_seed(11);
  std::vector<Tensor> out;
  for (const auto& sizes : {std::vector<std::int64_t>{129, 128}, {128}, {33, 5}, {1}})
    out.push_back(torch::randn(sizes, torch::kFloat).to(type).requires_grad_(true));
  return out;
}

// Gradients of step t, of sizes that vary over two decades.
void set_gradients(std::vector<Tensor>& parameters, std::int64_t t) {
  torch::manual_seed(1000 + static_cast<std::uint64_t>(t));
  for (Tensor& p : parameters)
    p.mutable_grad() = (torch::randn(p.sizes(), torch::kFloat) * std::pow(10.0, std::sin(0.3 * t))).to(p.scalar_type());
}

double difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst,
                     (a[i].detach().to(torch::kDouble) - b[i].detach().to(torch::kDouble)).abs().max().item<double>());
  return worst;
}

TEST(AdamW, AgreesWithLibTorch) {
  for (const auto type : {torch::kFloat, torch::kDouble})
    for (const double clip : {0.0, 30.0}) {
      auto ours = start(type), theirs = start(torch::kDouble);
      AdamW adam(ours, {.weight_decay = 0.05, .clip = clip});
      torch::optim::AdamW reference(theirs, torch::optim::AdamWOptions(1e-3).weight_decay(0.05));
      for (std::int64_t t = 0; t < 100; ++t) {
        const double lr = 1e-3 * (1 + std::cos(0.03 * static_cast<double>(t)));
        set_gradients(ours, t);
        set_gradients(theirs, t);
        double norm = 0;
        for (const Tensor& p : theirs) norm += p.grad().pow(2).sum().item<double>();
        if (clip > 0) torch::nn::utils::clip_grad_norm_(theirs, clip);
        for (auto& group : reference.param_groups()) static_cast<torch::optim::AdamWOptions&>(group.options()).lr(lr);
        reference.step();
        EXPECT_NEAR(adam.step(lr) / std::sqrt(norm), 1.0, 1e-9);
      }
      EXPECT_LT(difference(ours, theirs), type == torch::kFloat ? 1e-6 * 4 : 1e-7) << clip;
      EXPECT_GT(difference(ours, start(type)), 1e-2);
    }
}

TEST(AdamW, ContinuesBitForBit) {
  auto straight = start(torch::kFloat), broken = start(torch::kFloat);
  AdamW first(straight, {}), before(broken, {});
  std::map<std::string, Tensor> saved;
  for (std::int64_t t = 0; t < 10; ++t) {
    set_gradients(straight, t);
    first.step(1e-3);
    if (t >= 5) continue;
    set_gradients(broken, t);
    before.step(1e-3);
  }
  for (const auto& [name, tensor] : before.state()) saved[name] = tensor.clone();
  AdamW after(broken, {});
  after.load(saved);
  EXPECT_EQ(after.state().at("steps").item<std::int64_t>(), 5);
  for (std::int64_t t = 5; t < 10; ++t) {
    set_gradients(broken, t);
    after.step(1e-3);
  }
  EXPECT_EQ(difference(straight, broken), 0.0);
}

TEST(AdamW, SameBitsForAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  std::vector<std::vector<Tensor>> results;
  for (const int count : {1, 3}) {
    at::set_num_threads(count);
    results.push_back(start(torch::kFloat));
    AdamW adam(results.back(), {.clip = 1.0});
    for (std::int64_t t = 0; t < 3; ++t) {
      set_gradients(results.back(), t);
      adam.step(1e-2);
    }
  }
  at::set_num_threads(threads);
  EXPECT_EQ(difference(results[0], results[1]), 0.0);
}

TEST(AdamW, NothingChangesWhenTheGradientIsNotFinite) {
  auto p = start(torch::kFloat);
  const auto before = start(torch::kFloat);
  AdamW adam(p, {});
  set_gradients(p, 0);
  p[2].mutable_grad()[0][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(adam.step(1e-3)));
  EXPECT_EQ(difference(p, before), 0.0);
  EXPECT_EQ(adam.state().at("steps").item<std::int64_t>(), 0);
  for (const auto& [name, tensor] : adam.state()) EXPECT_EQ(tensor.abs().max().item<double>(), 0.0) << name;
}

// In float64 both take LibTorch's fused operator, as both do on a GPU.
TEST(AdamW, StepsThatAreNotReadAreTheSame) {
  for (const double clip : {0.0, 1.0}) {
    auto read = start(torch::kDouble), unread = start(torch::kDouble);
    AdamW one(read, {.clip = clip}), two(unread, {.clip = clip});
    for (std::int64_t t = 0; t < 5; ++t) {
      set_gradients(read, t);
      set_gradients(unread, t);
      EXPECT_EQ(one.step(1e-2), two.step_unread(1e-2, torch::zeros({})).item<double>());
    }
    EXPECT_EQ(difference(read, unread), 0.0);
  }
}

TEST(AdamW, UnreadStepsEndAtTheFirstThatIsNotFinite) {
  const float bad = std::numeric_limits<float>::infinity();
  for (const bool by_loss : {false, true}) {
    auto p = start(torch::kFloat);
    AdamW adam(p, {.clip = 1.0});
    set_gradients(p, 0);
    adam.step_unread(1e-2, torch::zeros({}));
    EXPECT_GT(difference(p, start(torch::kFloat)), 0.0);
    std::vector<Tensor> good;
    for (const Tensor& t : p) good.push_back(t.detach().clone());
    set_gradients(p, 1);
    if (!by_loss) p[2].mutable_grad()[0][0] = bad;
    const Tensor norm = adam.step_unread(1e-2, by_loss ? torch::full({}, bad) : torch::zeros({}));
    EXPECT_EQ(std::isfinite(norm.item<double>()), by_loss);
    set_gradients(p, 2);  // finite again: nobody has looked yet
    adam.step_unread(1e-2, torch::zeros({}));
    EXPECT_EQ(difference(p, good), 0.0);
    for (const auto& [name, tensor] : adam.state())
      EXPECT_TRUE(tensor.to(torch::kDouble).isfinite().all().item<bool>()) << name;
  }
}

TEST(AdamW, AnUnreadStepReadsNoValue) {
  auto p = start(torch::kDouble);
  AdamW adam(p, {.clip = 1.0});
  set_gradients(p, 0);
  const Tensor loss = torch::zeros({});
  const ValueReads reads;
  adam.step_unread(1e-2, loss);
  EXPECT_EQ(reads.count(), 0);
  adam.step(1e-2);
  EXPECT_EQ(reads.count(), 1);
}

PAIRS_DEVICE_TEST(AdamW, AgreesWithFloat64OnTheCpu) {
  for (const double clip : {0.0, 1.0}) {
    auto reference = start(torch::kDouble);
    std::vector<Tensor> here;
    for (const Tensor& t : start(torch::kFloat)) here.push_back(t.detach().to(device).requires_grad_(true));
    AdamW exact(reference, {.weight_decay = 0.05, .clip = clip}), adam(here, {.weight_decay = 0.05, .clip = clip});
    for (std::int64_t t = 0; t < 30; ++t) {
      set_gradients(reference, t);
      for (std::size_t i = 0; i < here.size(); ++i)
        here[i].mutable_grad() = reference[i].grad().to(device, torch::kFloat);
      EXPECT_NEAR(adam.step(1e-3) / exact.step(1e-3), 1.0, 1e-6);
    }
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_LT(apart(here[i], reference[i]), 1e-5) << clip;
    // Saved and read back, it goes on bit for bit.
    std::vector<Tensor> again;
    for (const Tensor& t : here) again.push_back(t.detach().clone().requires_grad_(true));
    AdamW resumed(again, {.weight_decay = 0.05, .clip = clip});
    std::map<std::string, Tensor> saved;
    for (const auto& [name, tensor] : adam.state()) saved[name] = tensor.to(torch::kCPU).clone();
    resumed.load(saved);
    for (std::size_t i = 0; i < here.size(); ++i) {
      here[i].mutable_grad() = torch::ones_like(here[i]);
      again[i].mutable_grad() = torch::ones_like(here[i]);
    }
    adam.step(1e-3);
    resumed.step(1e-3);
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_TRUE(torch::equal(here[i], again[i]));
  }
}

TEST(AdamW, LeavesParametersWithoutGradient) {
  auto p = start(torch::kFloat);
  const auto before = start(torch::kFloat);
  AdamW adam(p, {});
  set_gradients(p, 0);
  p[1].mutable_grad().reset();
  adam.step(1e-3);
  EXPECT_TRUE(torch::equal(p[1], before[1]));
  EXPECT_FALSE(torch::equal(p[0], before[0]));
  adam.zero_grad();
  EXPECT_FALSE(p[0].grad().defined());
  EXPECT_EQ(adam.step(1e-3), 0.0);
}

TEST(AdamW, RefusesAnotherNetworksState) {
  auto p = start(torch::kFloat);
  AdamW adam(p, {});
  set_gradients(p, 0);
  adam.step(1e-3);
  const auto state = adam.state();
  auto missing = state, wrong = state;
  missing.erase("second1");
  EXPECT_THROW(adam.load(missing), Error);
  wrong["first0"] = torch::zeros({3});
  EXPECT_THROW(adam.load(wrong), Error);
  EXPECT_THROW(AdamW(std::vector<torch::Tensor>{}, {}), Error);
  EXPECT_THROW(adam.step(std::numeric_limits<double>::quiet_NaN()), Error);
}

}  // namespace
}  // namespace pairs
