#include "core/standardized_embedder.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {

StandardizedEmbedder::StandardizedEmbedder(std::shared_ptr<Embedder> inner, const torch::Tensor& location,
                                           const torch::Tensor& scale, std::vector<double> periods)
    : inner_(register_module("inner", std::move(inner))),
      periods_(std::move(periods)),
      location_(register_buffer(kLocation, location.to(torch::kFloat64).flatten().clone())),
      scale_(register_buffer(kScale, scale.to(torch::kFloat64).flatten().clone())),
      middle_(register_buffer(kMiddle, at::zeros_like(location_))),
      spread_(register_buffer(kSpread, at::zeros_like(location_))) {
  PAIRS_CHECK(location_.numel() == scale_.numel() && (scale_ > 0).all().item<bool>(),
              "x is standardized by {} locations and {} scales; there must be as many, and scales above 0",
              location_.numel(), scale_.numel());
  PAIRS_CHECK(periods_.empty() || static_cast<std::int64_t>(periods_.size()) == location_.numel(),
              "x has {} columns, and {} periods", location_.numel(), periods_.size());
}

namespace {

// The standardized columns z [M, m] of raw `values` [M, m] with the unit vectors of periodic ones, each of variance 1
// for a uniform angle -> [M, m + number of periodic columns] float32.
torch::Tensor with_directions(const torch::Tensor& z, const torch::Tensor& values, const std::vector<double>& periods) {
  std::vector<torch::Tensor> columns, sines;
  for (std::int64_t k = 0; k < z.size(1); ++k) {
    const double period = periods[static_cast<std::size_t>(k)];
    if (!(period > 0)) {
      columns.push_back(z.select(1, k));
      continue;
    }
    const torch::Tensor angle = values.select(1, k).to(torch::kFloat64) * (2 * M_PI / period);
    columns.push_back((angle.cos() * M_SQRT2).to(torch::kFloat32));
    sines.push_back((angle.sin() * M_SQRT2).to(torch::kFloat32));
  }
  columns.insert(columns.end(), sines.begin(), sines.end());
  return at::stack(columns, 1);
}

}  // namespace

void StandardizedEmbedder::curve(const torch::Tensor& middle, const torch::Tensor& spread) {
  const at::NoGradGuard no_grad;
  curved_ = spread.defined() && (spread > 0).any().item<bool>();
  if (!curved_) {
    middle_.zero_();
    spread_.zero_();
    return;
  }
  PAIRS_CHECK(
      middle.numel() == location_.numel() && spread.numel() == location_.numel() && (spread >= 0).all().item<bool>(),
      "x is curved by {} middles and {} spreads; there must be {} of each, and no spread below 0", middle.numel(),
      spread.numel(), location_.numel());
  middle_.copy_(middle.flatten());
  spread_.copy_(spread.flatten());
}

torch::Tensor StandardizedEmbedder::forward(const Observations& x) {
  inner_->set_noise(noise_key(), noise_first());
  const Observations seen =
      curved_ ? standardized(x, location_, scale_, middle_, spread_) : standardized(x, location_, scale_);
  if (periods_.empty()) return inner_->forward(seen);
  const torch::Tensor all = with_directions(all_numbers(seen), all_numbers(x), periods_);
  return inner_->forward(x.is_ragged() ? Observations::ragged(all, x.offsets()) : Observations(all));
}

std::vector<std::int64_t> shape_seen(const TaskInfo& info) {
  std::vector<std::int64_t> shape = info.observation_shape;
  for (const double period : info.periods) shape.front() += period > 0;
  return shape;
}

}  // namespace pairs
