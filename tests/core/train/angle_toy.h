#pragma once

#include <ATen/Functions.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/grid_density.h"
#include "core/input_scale.h"
#include "core/periodic.h"
#include "tests/core/train/toy_task.h"

namespace pairs {

// Directions: θ ~ U(0, 360), x is θ with normal noise of 40, of any turn; ψ is a phase that x does not depend on.
class AngleToy : public ToyTask, public StandardizedInput {
 public:
  static constexpr double kNoise = 40;

  explicit AngleToy(std::int64_t most = 20) : info_(ToyTask::info()) {
    info_.name = "angles";
    info_.max_n = most;
    info_.targets = {{.name = "theta",
                      .label = "θ",
                      .low = 0,
                      .high = 360,
                      .location = 180,
                      .scale = 104,
                      .range = 360,
                      .view_low = 0,
                      .view_high = 360,
                      .periodic = true}};
    info_.nuisances = {{.name = "phase", .label = "ψ", .view_low = 0, .view_high = 2, .period = 2}};
    info_.observation_shape = {1};
    info_.observation_columns = {"x"};
    info_.periods = {360};
  }
  const TaskInfo& info() const override { return info_; }
  std::vector<std::string> references() const override { return {"exact"}; }
  std::unique_ptr<ReferencePosterior> reference(const std::string&) const override {
    return std::make_unique<Exact>(info_.targets);
  }
  bool standardizes() const override { return true; }
  InputScale input_scale() const override { return {{0}, {1}}; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto count = static_cast<std::int64_t>(indices.size());
    Latents out{at::empty({count, 1}, at::kDouble), at::empty({count, 1}, at::kDouble)};
    for (std::int64_t k = 0; k < count; ++k) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(k)]));
      out.theta[k][0] = 360 * stream.uniform64();
      out.psi[k][0] = 2 * stream.uniform64();
    }
    return out;
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double theta = latents.theta[static_cast<std::int64_t>(k)][0].item<double>();
      for (std::int64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; ++i) {
        Stream stream(stream_key(seed, purpose) + 7, static_cast<std::uint64_t>(ranges[k].index * 100003 + i));
        const double value = theta + kNoise * stream.normal64();
        x.push_back(static_cast<float>(value + 360 * static_cast<double>(stream.below(3))));
      }
    }
    return torch::tensor(x).view({-1, 1}).to(device);
  }

  // log p(θ | X) by a grid of the circle, at θ [S] -> [S].
  static torch::Tensor exact_log_density(const torch::Tensor& theta, const torch::Tensor& x) {
    const auto log = [&](const torch::Tensor& at) {
      const torch::Tensor away = wrapped(x.flatten().to(torch::kFloat64) - at.unsqueeze(1), -180, 360);
      torch::Tensor sum;
      for (const double turn : {-360.0, 0.0, 360.0}) {
        const torch::Tensor one = -0.5 * ((away + turn) / kNoise).square();
        sum = sum.defined() ? at::logaddexp(sum, one) : one;
      }
      return sum.sum(1);
    };
    constexpr std::int64_t cells = 7200;
    const torch::Tensor grid = (at::arange(cells, at::kDouble) + 0.5) * (360.0 / cells);
    return log(theta) - log(grid).logsumexp(0) - std::log(360.0 / cells);
  }

 private:
  class Exact : public ReferencePosterior {
   public:
    explicit Exact(const std::vector<Target>& targets) : targets_(targets) {}
    void add(const Observations& x) override { x_.push_back(x.block()); }
    torch::Tensor log_density(const torch::Tensor& theta) override {
      return exact_log_density(theta.select(1, 0), at::cat(x_));
    }
    torch::Tensor mean() override { return on_grid().mean(); }
    torch::Tensor covariance() override { return on_grid().covariance(); }
    torch::Tensor sample(std::int64_t count, Stream& stream) override { return on_grid().sample(count, stream); }

   private:
    GridDensity on_grid() {
      return {targets_, [this](const torch::Tensor& theta) { return log_density(theta); }, "The exact posterior"};
    }
    std::vector<Target> targets_;
    std::vector<torch::Tensor> x_;
  };

  TaskInfo info_;
};

}  // namespace pairs
