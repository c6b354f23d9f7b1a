#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::render::kernels {

// Device pointers of `views` views to cast (see sphere_caster.h).
struct SphereViews {
  const double* scene;  // [scenes, columns]
  std::int64_t scenes, columns;
  const double* camera;       // [views, 2]
  const std::int64_t* owner;  // [views]
  std::int64_t views;
  int height, width;
  double half_width;
};

// color [views, 3, H, W], means over supersample^2 rays per pixel; launched on a stream of the current device.
void cast(const SphereViews& views, int supersample, float* color, cudaStream_t stream);
// depth [views, H, W], normal [views, 3, H, W], id [views, H, W].
void probe(const SphereViews& views, float* depth, float* normal, std::int32_t* id, cudaStream_t stream);

}  // namespace pairs::render::kernels
