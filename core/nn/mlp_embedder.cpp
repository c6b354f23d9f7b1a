#include "core/nn/mlp_embedder.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/base/error.h"

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
  if (config.append_input) appended_ = inputs;
  PAIRS_CHECK(config.size > appended_,
              "an embedding of {} numbers has no room beside the observation's {}: raise embedder.size or set "
              "embedder.append_input to false",
              config.size, appended_);
  net_ = register_module(
      "net", std::make_shared<Mlp>(inputs * (1 + 2 * config.frequencies), config.layers, config.size - appended_,
                                   config.activation, std::move(generator)));
}

torch::Tensor MlpEmbedder::forward(const torch::Tensor& x) {
  const torch::Tensor flat = x.flatten(1);
  torch::Tensor in = flat;
  if (frequencies_.defined()) {
    const torch::Tensor angle = (flat.unsqueeze(2) * frequencies_).flatten(1);
    in = at::cat({flat, angle.sin(), angle.cos()}, 1);
  }
  const torch::Tensor out = net_->forward(in);
  return appended_ > 0 ? at::cat({out, flat}, 1) : out;
}

double MlpEmbedder::activations() const {
  // The angles and what is made of them.
  return net_->activations() + static_cast<double>(appended_ > 0 ? size() : 0) +
         (frequencies_.defined() ? 2.0 * static_cast<double>(net_->inputs()) : 0.0);
}

}  // namespace pairs
