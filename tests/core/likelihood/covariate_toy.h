#pragma once

#include <functional>

#include "tests/core/train/toy_task.h"

namespace pairs {

// y = θ u + ψ + noise with a covariate u: θ and the noise are standard normal, ψ has standard deviation 1/2. The
// columns are y, u; `covariate(stream, θ, ψ)` draws u.
class CovariateToy : public ToyTask {
 public:
  using Covariate = std::function<double(Stream& stream, double theta, double psi)>;
  explicit CovariateToy(
      Covariate covariate = [](Stream& stream, double, double) { return 2 * stream.uniform64() - 1; },
      std::int64_t most = 20)
      : info_(ToyTask::info()), covariate_(std::move(covariate)) {
    info_.max_n = most;
    info_.observation_shape = {2};
    info_.observation_columns = {"y", "u"};
    info_.covariates = {1};
  }
  const TaskInfo& info() const override { return info_; }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k);
      const double theta = latents.theta[row][0].item<double>(), psi = latents.psi[row][0].item<double>();
      for (std::int64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; ++i) {
        Stream stream(stream_key(seed, purpose) + 7, static_cast<std::uint64_t>(ranges[k].index * 100003 + i));
        const double u = covariate_(stream, theta, psi);
        x.push_back(static_cast<float>(theta * u + psi + stream.normal64()));
        x.push_back(static_cast<float>(u));
      }
    }
    return torch::tensor(x).view({-1, 2}).to(device);
  }

 private:
  TaskInfo info_;
  Covariate covariate_;
};

}  // namespace pairs
