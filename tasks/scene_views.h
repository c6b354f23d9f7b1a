#pragma once

#include <torch/types.h>

#include <cstdint>

#include "core/task.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs {

// A task whose observations are views of a scene by cameras, and whose target is the view of one more camera, which is
// a condition: psi is the scene in the form of render::pack_scene.
class SceneViews {
 public:
  virtual ~SceneViews() = default;

  // The number of spheres in a scene of the prior.
  virtual std::int64_t spheres() const = 0;
  // The size of views in pixels and half of the image plane's width.
  virtual render::CastOptions cast() const = 0;
  // Whether observations use the target camera's axes, so that they change with the target.
  virtual bool follow_target() const = 0;

  // One observation for each image and camera, as Task::observe would make it: images [V, 3, H, W] float32, cameras [V,
  // 2] (azimuth, elevation in radians) -> [V, ...observation shape]. Throws Error for an image of another size and for
  // a camera out of range.
  virtual torch::Tensor observations(const torch::Tensor& images, const torch::Tensor& cameras,
                                     const render::Camera& target) const = 0;
  // Converts the target camera to a row of Latents::given, [1, g] float64, and back; throws Error for an invalid row.
  virtual torch::Tensor given(const render::Camera& target) const = 0;
  virtual render::Camera target(const torch::Tensor& given) const = 0;
  // theta of scenes [B, 7S + 5] for the cameras given [B, g]: [B, 3 * H * W] float64.
  virtual torch::Tensor target_views(const torch::Tensor& scenes, const torch::Tensor& given) const = 0;
};

}  // namespace pairs
