#pragma once

#include <limits>

#include "core/estimator.h"
#include "tests/core/base/set_fields.h"

namespace pairs {

// θ ~ N(0, 1), ψ ~ N(0, 1/4), x_i ~ N(θ + ψ, 1): everything about it has a closed form, and it costs nothing.
class ToyTask : public Task {
 public:
  explicit ToyTask(const std::string& name = "toy") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    info_.name = name;
    info_.title = "Toy";
    info_.targets = {{"theta", "θ", "", -inf, inf, 0.0, 2.0, 1.0, -4, 4}};
    info_.nuisances = {{"psi", "ψ"}};
    info_.max_n = 1000;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {1};
    info_.observation_columns = {"x"};
    info_.data_source = "simulated";
  }
  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    Latents out{torch::empty({n, 1}, torch::kFloat64), torch::empty({n, 1}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]),
                    (std::uint64_t{1} << 47) - 1);
      out.theta.data_ptr<double>()[i] = stream.normal64();
      out.psi.data_ptr<double>()[i] = 0.5 * stream.normal64();
    }
    return out;
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        const auto row = static_cast<std::int64_t>(k);
        x.push_back(static_cast<float>(latents.theta[row][0].item<double>() + latents.psi[row][0].item<double>() +
                                       stream.normal64()));
      }
    return torch::tensor(x).unsqueeze(1).to(device);
  }

 private:
  TaskInfo info_;
};

// ToyTask with the declared support [-3, 5] of θ.
class BoundedToyTask : public ToyTask {
 public:
  BoundedToyTask() : bounded_(ToyTask::info()) {
    bounded_.targets[0].low = -3;
    bounded_.targets[0].high = 5;
  }
  const TaskInfo& info() const override { return bounded_; }

 private:
  TaskInfo bounded_;
};

inline EstimatorConfig toy_estimator() {
  EstimatorConfig config;
  set_fields(config, {"embedder.layers=16", "embedder.size=6", "head.hidden=16", "head.bins=6", "head.transforms=2",
                      "head.context_layers=1", "head.blocks=1"});
  return config;
}

}  // namespace pairs
