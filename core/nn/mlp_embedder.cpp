#include "core/nn/mlp_embedder.h"

namespace pairs {

MlpEmbedder::MlpEmbedder(const EmbedderConfig& config, std::int64_t inputs, at::Generator generator)
    : net_(register_module(
          "net", std::make_shared<Mlp>(inputs, config.layers, config.size, config.activation, std::move(generator)))) {}

torch::Tensor MlpEmbedder::forward(const torch::Tensor& x) {
  return net_->forward(x.flatten(1));
}

}  // namespace pairs
