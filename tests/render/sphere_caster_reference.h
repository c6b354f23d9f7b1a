#pragma once

#include "render/sphere_caster.h"

namespace pairs::render {

// cast_sphere_buffers in float64, one ray and one sphere after the other, straight from their equations: what the fast
// versions are tested against. Same arguments, on the CPU; color, depth and normal are float64.
SphereBuffers cast_spheres_reference(const torch::Tensor& scenes, const torch::Tensor& cameras,
                                     const torch::Tensor& owner, const CastOptions& options);

}  // namespace pairs::render
