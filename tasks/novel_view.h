#pragma once

#include <memory>

#include "core/task.h"
#include "render/sphere_scene.h"

namespace pairs {

// Novel views (paper, "Novel-view synthesis"): a scene of coloured spheres is the nuisance, θ is its image from a
// target camera, which is given, and each x is its image from another camera with Gaussian noise in training,
// noise-free in tests, beside a map of its rays. psi is the scene as render::pack_scene packs it; given is the target
// camera as (cos azimuth, sin azimuth, sin elevation, cos elevation).
//
// The prior does not change when a scene and its cameras are turned together (but for the corners of the cube that
// holds the centres). With view.frame = "target" ray maps are therefore told in the target camera's own axes (right,
// up, forward), so that networks need not learn to turn scenes.
std::shared_ptr<const Task> make_novel_view(const ViewOptions& options);

// One observation for each image and camera, as Task::observe would make it: images [V, 3, H, W] float32, cameras
// [V, 2] (azimuth, elevation in radians) -> [V, 3 + map channels, H, W]. Throws Error for an image of another size and
// for a camera out of range.
torch::Tensor view_observations(const ViewOptions& options, const torch::Tensor& images, const torch::Tensor& cameras,
                                const render::Camera& target);

// The target camera as a row of Latents::given, [1, 4] float64, and back; throws Error for what is no camera.
torch::Tensor given_of_camera(const render::Camera& camera);
render::Camera camera_of_given(const torch::Tensor& given);

// θ of scenes [B, 7S + 5] seen by the cameras given [B, 4]: [B, 3 * size * size] float64.
torch::Tensor target_views(const ViewOptions& options, const torch::Tensor& scenes, const torch::Tensor& given);

}  // namespace pairs
