#pragma once

#include <numbers>
#include <vector>

#include "render/orthographic_camera.h"

// A scene as plain data: for those that draw or edit it without tensors.
namespace pairs::render {

// Coloured spheres under one directional light, before a plain background. Colours are 0..1, angles radians.
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

// How far spheres may reach.
struct SceneLimits {
  double center;                   // greatest |coordinate| of a centre
  double radius_low, radius_high;  // of radii
};
inline constexpr SceneLimits world_limits{2.0, 0.01, 1.0};  // what can be drawn
inline constexpr SceneLimits prior_limits{0.8, 0.15, 0.4};  // what draw_scene draws, and estimators have seen

struct Range {
  double low, high;
};
// The rest of what draw_scene and draw_camera draw: each uniform on its range. Angles in radians.
struct ScenePrior {
  Range camera_elevation{std::numbers::pi / 8, 3 * std::numbers::pi / 8};
  Range light_elevation{std::numbers::pi / 6, std::numbers::pi / 3};
  Range background{0.05, 0.2};  // each channel
  Range vivid{0.75, 1};         // saturation and value of a sphere's colour
};
inline constexpr ScenePrior scene_prior{};

}  // namespace pairs::render
