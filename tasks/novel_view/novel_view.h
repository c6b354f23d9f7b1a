#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/scene_views.h"

namespace pairs {

struct NovelViewSettings {
  std::int64_t size = 64;       // pixels per image side
  std::int64_t spheres = 3;     // in a scene
  double half_width = 1.5;      // half of the image plane's width in world units
  double noise = 0.03;          // sd of the noise on observed views in training
  std::string map = "origin";   // content of the ray map: origin, direction, pluecker
  std::string frame = "world";  // axes of ray maps: world (paper), or target: those of the target camera
  std::string scale = "data";   // θ is standardized by the prior's pixels (data), or from [0, 1] to [-1, 1] (signed)
  std::vector<Field> fields();
};

// Novel views (paper, "Novel-view synthesis"): a scene of colored spheres is the nuisance, θ is its image from a target
// camera, which is a condition, and each x is its image from another camera, with Gaussian noise in training and
// without noise in tests, together with a map of its rays. psi is the scene in the form of render::pack_scene; the
// condition is the target camera as (cos azimuth, sin azimuth, sin elevation, cos elevation). The task is a SceneViews.
//
// The prior is invariant when a scene and its cameras are rotated together (except for the corners of the cube of
// centers). With frame = "target", ray maps therefore use the target camera's own axes (right, up, forward), so that
// networks need not learn to rotate scenes.
std::shared_ptr<const Task> make_novel_view(const NovelViewSettings& settings);

}  // namespace pairs
