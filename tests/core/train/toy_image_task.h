#pragma once

#include <ATen/Functions.h>

#include <atomic>
#include <cmath>

#include "core/train/settings/config.h"
#include "tests/core/base/set_fields.h"

namespace pairs {

// A bright spot in one of eight columns, seen through noise: ψ is its column, given is the row in which the target
// shows it, x are noisy pictures of the spot in the middle. The posterior of the column and so the mean target are
// known.
class ToyImageTask : public Task {
 public:
  static constexpr std::int64_t kSide = 8;
  static constexpr double kNoise = 0.8;

  ToyImageTask() {
    info_.name = "toy-image";
    info_.title = "Toy image";
    info_.nuisances = {{"column", "column", "", 0, kSide - 1}};
    info_.max_n = 100;
    info_.kind = ObservationKind::image;
    info_.observation_shape = {1, kSide, kSide};
    info_.data_source = "simulated";
    info_.target_kind = TargetKind::image;
    info_.image = {.channels = 1, .height = kSide, .width = kSide, .location = 0.1, .scale = 0.2, .map_channels = 1};
    info_.given = {{"row", "row"}};
  }
  const TaskInfo& info() const override { return info_; }

  // Spots at rows and columns [B] -> [B, 64] float64.
  static torch::Tensor spots(const torch::Tensor& rows, const torch::Tensor& columns) {
    const torch::Tensor at = at::arange(kSide, torch::kFloat64);
    const torch::Tensor down = (-0.5 * (at.view({1, -1, 1}) - rows.view({-1, 1, 1})).square()).exp();
    const torch::Tensor across = (-0.5 * (at.view({1, 1, -1}) - columns.view({-1, 1, 1})).square()).exp();
    return (down * across).flatten(1);
  }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    Latents out{{}, at::empty({n, 1}, torch::kFloat64), at::empty({n, 1}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]),
                    (std::uint64_t{1} << 47) - 1);
      out.psi.data_ptr<double>()[i] = static_cast<double>(stream.below(kSide));
      out.given.data_ptr<double>()[i] = static_cast<double>(stream.below(kSide));
    }
    out.theta = spots(out.given.select(1, 0), out.psi.select(1, 0));
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::int64_t total = 0;
    for (const SetRange& range : ranges) total += range.count;
    observed += total;
    torch::Tensor x = at::empty({total, kSide * kSide}, torch::kFloat64);
    const torch::Tensor clean = spots(at::full_like(latents.psi.select(1, 0), 3.5), latents.psi.select(1, 0));
    std::int64_t row = 0;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j, ++row) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        for (std::int64_t p = 0; p < kSide * kSide; ++p)
          x.data_ptr<double>()[row * kSide * kSide + p] =
              clean.const_data_ptr<double>()[static_cast<std::int64_t>(k) * kSide * kSide + p] +
              kNoise * stream.normal64();
      }
    return x.view({total, 1, kSide, kSide}).to(device, torch::kFloat32);
  }

  torch::Tensor target_map(const torch::Tensor& given) const override {
    const torch::Tensor row = at::arange(kSide, given.options().dtype(torch::kFloat32)).view({1, 1, -1, 1});
    return (-0.5 * (row - given.to(torch::kFloat32).view({-1, 1, 1, 1})).square())
        .exp()
        .expand({given.size(0), 1, kSide, kSide});
  }

  // E[θ | x_1 … x_N, given] of one set: x [N, 1, 8, 8] -> [64] float64.
  static torch::Tensor posterior_mean(const torch::Tensor& x, double row) {
    const torch::Tensor columns = at::arange(kSide, torch::kFloat64);
    const torch::Tensor clean = spots(at::full({kSide}, 3.5, torch::kFloat64), columns);
    const torch::Tensor seen = x.to(torch::kFloat64).flatten(1);
    const torch::Tensor log_likelihood =
        -at::square(seen.unsqueeze(1) - clean.unsqueeze(0)).sum(at::IntArrayRef({0, 2})) / (2 * kNoise * kNoise);
    const torch::Tensor weight = at::softmax(log_likelihood, 0);
    return weight.unsqueeze(0).mm(spots(at::full({kSide}, row, torch::kFloat64), columns)).squeeze(0);
  }

  mutable std::atomic<std::int64_t> observed{0};  // observations that were asked for

 private:
  TaskInfo info_;
};

inline EstimatorConfig toy_image_estimator() {
  EstimatorConfig config;
  set_fields(config, {"embedder.layers=32", "embedder.size=16", "head.kind=flow-matching", "head.channels=8",
                      "head.multipliers=1,2", "head.attention=[]", "head.blocks=1", "head.time_size=16",
                      "head.given_size=8", "head.context_layers=0", "head.steps=10"});
  return config;
}

}  // namespace pairs
