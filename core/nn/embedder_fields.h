#pragma once

#include "core/base/fields.h"
#include "core/nn/embedder_config.h"

namespace pairs {

// Settings that several kinds of embedders read.
inline Field activation_field(EmbedderConfig& c) {
  return {"embedder.activation", &c.activation, "Activation of the MLP", -1e300, 1e300, {"relu", "silu"}};
}
inline Field layers_field(EmbedderConfig& c) {
  return {"embedder.layers", &c.layers, "Hidden widths of the MLP; rows: widths of the layers that see one row", 1,
          65536};
}
inline Field channels_field(EmbedderConfig& c) {
  return {"embedder.channels", &c.channels,
          "Channels: CNN blocks, or stem and stages of the ResNets and of the view embedder", 1, 65536};
}
inline Field precision_field(EmbedderConfig& c) {
  return {"embedder.precision",
          &c.precision,
          "Activations and convolutions of the CNN, of resnet18 and of the view embedder; bf16 runs in float32 on "
          "processors without AVX-512",
          -1e300,
          1e300,
          {"float32", "bf16"}};
}
inline Field projection_field(EmbedderConfig& c) {
  return {"embedder.projection", &c.projection, "Hidden widths of the projection of the ResNet and of rows", 1, 65536};
}

}  // namespace pairs
