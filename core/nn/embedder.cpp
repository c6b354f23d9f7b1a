#include "core/nn/embedder.h"

#include "core/base/error.h"
#include "core/nn/cnn.h"
#include "core/nn/mlp_embedder.h"
#include "core/nn/resnet.h"
#include "core/nn/view_embedder.h"

namespace pairs {

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator) {
  PAIRS_CHECK(config.size >= 1, "an embedding needs at least one number, not {}: set embedder.size", config.size);
  std::int64_t inputs = 1;
  for (const std::int64_t n : observation_shape) {
    PAIRS_CHECK(n >= 1, "an observation of shape [{}] is empty", fmt::join(observation_shape, ", "));
    inputs *= n;
  }
  PAIRS_CHECK(config.precision == "float32" || config.kind == "cnn" || config.kind == "view",
              "embedder.precision = \"{}\" is for embedders of kind cnn and view, not {}: leave it out",
              config.precision, config.kind);
  if (config.kind == "mlp") return std::make_shared<MlpEmbedder>(config, inputs, std::move(generator));
  if (config.kind == "cnn" || config.kind == "resnet" || config.kind == "view") {
    PAIRS_CHECK(observation_shape.size() == 3,
                "an embedder of kind {} takes images [channels, height, width], not observations [{}]: use mlp",
                config.kind, fmt::join(observation_shape, ", "));
    if (config.kind == "cnn") return std::make_shared<Cnn>(config, observation_shape, std::move(generator));
    if (config.kind == "view") return std::make_shared<ViewEmbedder>(config, observation_shape, std::move(generator));
    return std::make_shared<ResNet>(config, observation_shape, std::move(generator));
  }
  fail_usage("there is no embedder of kind '{}': use mlp, cnn, resnet or view", config.kind);
}

}  // namespace pairs
