#pragma once

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/core/train/toy_task.h"
#include "tests/tasks/in_place_of.h"

namespace pairs {

// The toy task with several targets: θ_k ~ N(0, 1), and observations N(θ_k, 1) in as many columns.
class ManyTargetsTask : public ToyTask {
 public:
  explicit ManyTargetsTask(std::int64_t count) : ToyTask("gaussian"), own_(ToyTask::info()), count_(count) {
    own_.targets.clear();
    own_.nuisances.clear();
    own_.observation_columns.clear();
    own_.observation_shape = {count};
    own_.max_n = 60;
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < count; ++k) {
      own_.targets.push_back({fmt::format("t{}", k), fmt::format("θ{}", k), "", -inf, inf, 0.0, 2.0, 1.0, -4, 4});
      own_.observation_columns.push_back(fmt::format("x{}", k));
    }
  }
  const TaskInfo& info() const override { return own_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    Latents out{torch::empty({n, count_}, torch::kFloat64), torch::empty({n, 0}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]), 1);
      for (std::int64_t k = 0; k < count_; ++k) out.theta[i][k] = stream.normal64();
    }
    return out;
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<torch::Tensor> sets;
    for (std::size_t r = 0; r < ranges.size(); ++r) {
      torch::Tensor x = torch::empty({ranges[r].count, count_}, torch::kFloat64);
      for (std::int64_t j = 0; j < ranges[r].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[r].index),
                      static_cast<std::uint64_t>(2 + ranges[r].first + j));
        for (std::int64_t k = 0; k < count_; ++k) x[j][k] = stream.normal64();
      }
      sets.push_back(x + latents.theta[static_cast<std::int64_t>(r)]);
    }
    return torch::cat(sets).to(device, torch::kFloat32);
  }

 private:
  TaskInfo own_;
  std::int64_t count_;
};

// In the place of the task "gaussian".
inline Catalog many_targets(std::int64_t count) {
  return in_place_of("gaussian", [count](const TaskOptions&) { return std::make_shared<ManyTargetsTask>(count); });
}

}  // namespace pairs
