#pragma once

#include <numbers>
#include <vector>

#include "render/orthographic_camera.h"

// A scene as plain data, for code that draws or edits it without tensors.
namespace pairs::render {

// Colored spheres under one directional light, in front of a plain background. Colors are 0..1, angles radians.
struct Sphere {
  double center[3] = {0, 0, 0};
  double radius = 0.3;
  double color[3] = {1, 1, 1};
};
struct SphereScene {
  std::vector<Sphere> spheres;
  double light_azimuth = 0, light_elevation = 0.7853981633974483;  // where the light comes from
  double background[3] = {0.1, 0.1, 0.1};
};

// Limits of the spheres' positions and sizes.
struct SceneLimits {
  double center;                   // largest |coordinate| of a center
  double radius_low, radius_high;  // range of radii
};
inline constexpr SceneLimits world_limits{2.0, 0.01, 1.0};  // what can be drawn
inline constexpr SceneLimits prior_limits{0.8, 0.15, 0.4};  // the prior of draw_scene, on which estimators are trained

struct Range {
  double low, high;
};
// The remaining prior of draw_scene and draw_camera: each uniform in its range. Angles in radians.
struct ScenePrior {
  Range camera_elevation{std::numbers::pi / 8, 3 * std::numbers::pi / 8};
  Range light_elevation{std::numbers::pi / 6, std::numbers::pi / 3};
  Range background{0.05, 0.2};  // each channel
  Range vivid{0.75, 1};         // saturation and value of a sphere's color
};
inline constexpr ScenePrior scene_prior{};

}  // namespace pairs::render
