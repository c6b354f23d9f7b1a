#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/scene_views.h"

namespace pairs {

struct NovelViewSettings {
  std::int64_t size = 64;       // pixels along an image's side
  std::int64_t spheres = 3;     // in a scene
  double half_width = 1.5;      // half of the image plane's width in world units
  double noise = 0.03;          // sd of the noise on observed views in training
  std::string map = "origin";   // what the ray map tells: origin, direction, pluecker
  std::string frame = "world";  // axes of ray maps: world (paper), or target: those of the target camera
  std::string scale = "data";   // θ is standardised by the prior's pixels (data), or from [0, 1] to [-1, 1] (signed)
  std::vector<Field> fields();
};

// Novel views (paper, "Novel-view synthesis"): a scene of coloured spheres is the nuisance, θ is its image from a
// target camera, which is given, and each x is its image from another camera with Gaussian noise in training,
// noise-free in tests, beside a map of its rays. psi is the scene as render::pack_scene packs it; given is the target
// camera as (cos azimuth, sin azimuth, sin elevation, cos elevation). The task is a SceneViews.
//
// The prior does not change when a scene and its cameras are turned together (but for the corners of the cube that
// holds the centres). With frame = "target" ray maps are therefore told in the target camera's own axes (right, up,
// forward), so that networks need not learn to turn scenes.
std::shared_ptr<const Task> make_novel_view(const NovelViewSettings& settings);

}  // namespace pairs
