#include "render/sphere_caster.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "render/sphere_caster_cpu.h"
#include "render/sphere_scene.h"

namespace pairs::render {
namespace {

using Cast = torch::Tensor(const torch::Tensor&, const torch::Tensor&, const torch::Tensor&, std::int64_t, std::int64_t,
                           double, std::int64_t);
using Probe = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor>(const torch::Tensor&, const torch::Tensor&,
                                                                      const torch::Tensor&, std::int64_t, std::int64_t,
                                                                      double);

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  m.def(
      "cast_spheres(Tensor scenes, Tensor cameras, Tensor owner, int height, int width, float half_width, "
      "int supersample) -> Tensor");
  m.def(
      "probe_spheres(Tensor scenes, Tensor cameras, Tensor owner, int height, int width, float half_width) -> "
      "(Tensor, Tensor, Tensor)");
}
// Registered here so that a static library always includes it.
TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("cast_spheres", &cast_spheres_cpu);
  m.impl("probe_spheres", &probe_spheres_cpu);
}

struct Views {
  torch::Tensor scenes, cameras, owner;  // contiguous, on the device
};

Views checked(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
              const CastOptions& o, torch::Device device) {
  PAIRS_CHECK(o.height >= 1 && o.height <= max_image_side && o.width >= 1 && o.width <= max_image_side,
              "An image of spheres has 1 to {} pixels a side, not {} by {}", max_image_side, o.width, o.height);
  PAIRS_CHECK(o.supersample >= 1 && o.supersample <= max_supersample,
              "Supersampling takes 1 to {} rays along a pixel's side, not {}", max_supersample, o.supersample);
  PAIRS_CHECK(o.half_width >= 1e-3 && o.half_width <= 1e3, "The image's half-width must lie between {} and {}, not {}",
              1e-3, 1e3, o.half_width);
  PAIRS_CHECK(scenes.dim() == 2 && scenes.scalar_type() == torch::kFloat64 && cameras.dim() == 2 &&
                  cameras.size(1) == 2 && cameras.scalar_type() == torch::kFloat64 && owner.dim() == 1 &&
                  owner.scalar_type() == torch::kInt64 && owner.size(0) == cameras.size(0),
              "The caster takes scenes [B, 7S + 5] and cameras [V, 2] of float64, and as many owners [V] of int64");
  spheres_of_columns(scenes.size(1));
  if (owner.is_cpu() && owner.numel() > 0) {
    const auto low = owner.min().item<std::int64_t>(), high = owner.max().item<std::int64_t>();
    PAIRS_CHECK(low >= 0 && high < scenes.size(0), "The caster was asked for scene {} of {}", low < 0 ? low : high,
                scenes.size(0));
  }
  return {send(scenes, device).contiguous(), send(cameras, device).contiguous(), send(owner, device).contiguous()};
}

}  // namespace

torch::Tensor cast_spheres(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                           const CastOptions& o, torch::Device device) {
  const Views v = checked(scenes, cameras, owner, o, device);
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("pairs::cast_spheres", "").typed<Cast>();
  return op.call(v.scenes, v.cameras, v.owner, o.height, o.width, o.half_width, o.supersample);
}

SphereBuffers cast_sphere_buffers(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                                  const CastOptions& o, torch::Device device) {
  const Views v = checked(scenes, cameras, owner, o, device);
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("pairs::probe_spheres", "").typed<Probe>();
  auto [depth, normal, id] = op.call(v.scenes, v.cameras, v.owner, o.height, o.width, o.half_width);
  return {cast_spheres(v.scenes, v.cameras, v.owner, o, device), depth, normal, id};
}

}  // namespace pairs::render
