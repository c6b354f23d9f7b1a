#pragma once

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/heads/head_config.h"

namespace pairs {

// Settings that several kinds of heads read.
inline Field transforms_field(HeadConfig& c) {
  return {"head.transforms", &c.transforms, "Stacked transformations", 1, 64};
}
inline Field hidden_field(HeadConfig& c) {
  return {"head.hidden", &c.hidden, "Width of the context MLP and transform nets", 1, 65536};
}
inline Field context_layers_field(HeadConfig& c) {
  return {"head.context_layers", &c.context_layers, "Layers of the context MLP", 0, 64};
}
inline Field blocks_field(HeadConfig& c) {
  return {"head.blocks", &c.blocks, "Residual blocks of a transform net, or of each resolution of the U-Net", 0, 64};
}
inline Field support_field(HeadConfig& c) {
  return {"head.support", &c.support, "box: bounded target, uniform base; real: tails, normal base",
          -1e300,         1e300,      {"box", "real"}};
}
inline Field affine_field(HeadConfig& c) {
  return {"head.affine", &c.affine, "Conditional location and scale before the flow"};
}

inline void check_transforms(const HeadConfig& config) {
  PAIRS_CHECK(config.transforms >= 1, "a head needs at least one transform, not {}: set {}", config.transforms,
              "head.transforms"_key);
}

}  // namespace pairs
