#include <cmath>

#include "core/base/error.h"
#include "core/heads/flow_matching_head.h"
#include "core/heads/gaussian_head.h"
#include "core/heads/head.h"
#include "core/heads/spline_head.h"
#include "core/heads/umnn_head.h"

namespace pairs {

std::shared_ptr<Head> make_head(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image) {
  const auto d = static_cast<std::int64_t>(targets.size());
  PAIRS_CHECK(d >= 1, "a head needs at least one target");
  PAIRS_CHECK(context >= 1, "a head needs a context of at least one column");
  if (config.kind == "gaussian") return std::make_shared<GaussianHead>(config, d, context, generator);
  if (config.kind == "flow-matching") {
    PAIRS_CHECK(image != nullptr,
                "head.kind = \"flow-matching\" needs a task whose target is an image; use another kind");
    PAIRS_CHECK(d == image->channels * image->height * image->width,
                "an image of {} x {} x {} is not a target of {} numbers", image->channels, image->height, image->width,
                d);
    return std::make_shared<FlowMatchingHead>(config, *image, context, generator);
  }
  PAIRS_CHECK(config.transforms >= 1, "a head needs at least one transform, not {}: set head.transforms",
              config.transforms);
  if (config.kind == "umnn") return std::make_shared<UmnnHead>(config, d, context, generator);
  if (config.kind == "spline") {
    if (config.support == "box")
      for (const HeadTarget& target : targets)
        PAIRS_CHECK(std::isfinite(target.low) && std::isfinite(target.high) && target.low < target.high,
                    "box support needs finite ranges, but a target's is [{}, {}]: set head.support to real", target.low,
                    target.high);
    return std::make_shared<SplineHead>(config, d, context, generator);
  }
  fail_usage("there is no head of kind '{}': use spline, umnn, gaussian or flow-matching", config.kind);
}

}  // namespace pairs
