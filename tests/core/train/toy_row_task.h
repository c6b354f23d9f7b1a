#pragma once

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/estimator.h"
#include "tests/core/base/set_fields.h"

namespace pairs {

// θ ~ N(0, 1); an observation is 0 to 5 rows (θ + noise, noise) of ragged length, in no order. The posterior is normal
// with one more than the number of all rows as its precision.
class ToyRowTask : public Task {
 public:
  static constexpr std::int64_t kMostRows = 5;

  ToyRowTask() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    info_.name = "toy-rows";
    info_.title = "Toy rows";
    info_.targets = {{"theta", "θ", "", -inf, inf, 0.0, 1.0, 1.0, -4, 4}};
    info_.max_n = 200;
    info_.kind = ObservationKind::rows;
    info_.observation_shape = {2};
    info_.observation_columns = {"signal", "noise"};
    info_.data_source = "simulated";
    info_.rows = 2.5;
  }
  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    Latents out{torch::empty({n, 1}, torch::kFloat64), torch::empty({n, 0}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]),
                    (std::uint64_t{1} << 47) - 1);
      out.theta.data_ptr<double>()[i] = stream.normal64();
    }
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> values;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        const auto rows = static_cast<std::int64_t>(stream.below(kMostRows + 1));
        for (std::int64_t r = 0; r < rows; ++r) {
          values.push_back(
              static_cast<float>(latents.theta[static_cast<std::int64_t>(k)][0].item<double>() + stream.normal64()));
          values.push_back(static_cast<float>(stream.normal64()));
        }
        offsets.push_back(offsets.back() + rows);
      }
    return Observations::ragged(torch::tensor(values, torch::kFloat32).view({-1, 2}).to(device),
                                torch::tensor(offsets, torch::kInt64));
  }

  std::vector<std::string> references() const override { return {"exact"}; }
  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    if (name == "exact") return std::make_unique<Exact>();
    return Task::reference(name);
  }

 private:
  class Exact final : public ReferencePosterior {
   public:
    void add(const Observations& x) override {
      sum_ += x.rows().select(1, 0).to(torch::kFloat64).sum().item<double>();
      rows_ += static_cast<double>(x.rows().size(0));
    }
    torch::Tensor log_density(const torch::Tensor& theta) override {
      const double precision = 1 + rows_;
      return -0.5 * precision * (theta.select(1, 0) - sum_ / precision).square() +
             0.5 * std::log(precision / (2 * 3.14159265358979324));
    }
    torch::Tensor mean() override { return torch::full({1}, sum_ / (1 + rows_), torch::kFloat64); }
    torch::Tensor covariance() override { return torch::full({1, 1}, 1 / (1 + rows_), torch::kFloat64); }
    torch::Tensor sample(std::int64_t count, Stream& stream) override {
      torch::Tensor out = torch::empty({count, 1}, torch::kFloat64);
      for (std::int64_t i = 0; i < count; ++i)
        out[i][0] = sum_ / (1 + rows_) + stream.normal64() / std::sqrt(1 + rows_);
      return out;
    }

   private:
    double sum_ = 0, rows_ = 0;
  };

  TaskInfo info_;
};

inline EstimatorConfig toy_row_estimator() {
  EstimatorConfig config;
  set_fields(config, {"embedder.kind=rows", "embedder.layers=16,16", "embedder.projection=16", "embedder.size=6",
                      "head.hidden=16", "head.bins=6", "head.transforms=2", "head.context_layers=1", "head.blocks=1"});
  return config;
}

}  // namespace pairs
