#pragma once

#include <torch/types.h>

#include <cstdint>

#include "core/task.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs {

// A task whose observations are views of a scene by cameras, and whose target is what one more camera,
// given, sees of it: psi is the scene as render::pack_scene packs it.
class SceneViews {
 public:
  virtual ~SceneViews() = default;

  // Spheres in a scene of the prior.
  virtual std::int64_t spheres() const = 0;
  // How views are cast: their pixels and half of the image plane's width.
  virtual render::CastOptions cast() const = 0;
  // Whether observations are told in the target camera's axes: with another target they are other observations.
  virtual bool follow_target() const = 0;

  // One observation for each image and camera, as Task::observe would make it: images [V, 3, H, W] float32, cameras
  // [V, 2] (azimuth, elevation in radians) -> [V, ...observation shape]. Throws Error for an image of another size and
  // for a camera out of range.
  virtual torch::Tensor observations(const torch::Tensor& images, const torch::Tensor& cameras,
                                     const render::Camera& target) const = 0;
  // The target camera as a row of Latents::given, [1, g] float64, and back; throws Error for what is no camera.
  virtual torch::Tensor given(const render::Camera& target) const = 0;
  virtual render::Camera target(const torch::Tensor& given) const = 0;
  // theta of scenes [B, 7S + 5] seen by the cameras given [B, g]: [B, 3 * H * W] float64.
  virtual torch::Tensor target_views(const torch::Tensor& scenes, const torch::Tensor& given) const = 0;
};

}  // namespace pairs
