#pragma once

#include <algorithm>
#include <iterator>

#include "render/scene.h"

namespace pairs::model {

// Whether all numbers are equal.
inline bool same_camera(const render::Camera& a, const render::Camera& b) {
  return a.azimuth == b.azimuth && a.elevation == b.elevation;
}

inline bool same_scene(const render::SphereScene& a, const render::SphereScene& b) {
  const auto same = [](const auto& x, const auto& y) { return std::equal(std::begin(x), std::end(x), std::begin(y)); };
  return a.spheres.size() == b.spheres.size() && a.light_azimuth == b.light_azimuth &&
         a.light_elevation == b.light_elevation && same(a.background, b.background) &&
         std::equal(a.spheres.begin(), a.spheres.end(), b.spheres.begin(),
                    [&](const render::Sphere& s, const render::Sphere& t) {
                      return s.radius == t.radius && same(s.center, t.center) && same(s.color, t.color);
                    });
}

}  // namespace pairs::model
