#include "core/nn/mlp_embedder.h"

#include <ATen/Functions.h>

#include <cmath>

namespace pairs {
namespace {

// Frequencies go down from the highest by at most this factor over all.
constexpr double kSpan = 64;

}  // namespace

MlpEmbedder::MlpEmbedder(const EmbedderConfig& config, std::int64_t inputs, at::Generator generator) {
  if (config.frequencies > 0) {
    const double step = config.frequencies > 1 ? std::log(kSpan) / static_cast<double>(config.frequencies - 1) : 0;
    frequencies_ = register_buffer(
        "frequencies", (config.highest_frequency * at::exp(at::arange(config.frequencies, torch::kFloat64) * -step))
                           .to(torch::kFloat));
  }
  net_ = register_module("net", std::make_shared<Mlp>(inputs * (1 + 2 * config.frequencies), config.layers, config.size,
                                                      config.activation, std::move(generator)));
}

torch::Tensor MlpEmbedder::forward(const torch::Tensor& x) {
  const torch::Tensor flat = x.flatten(1);
  if (!frequencies_.defined()) return net_->forward(flat);
  const torch::Tensor angle = (flat.unsqueeze(2) * frequencies_).flatten(1);
  return net_->forward(at::cat({flat, angle.sin(), angle.cos()}, 1));
}

}  // namespace pairs
