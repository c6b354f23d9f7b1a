#include "render/sphere_scene.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text/error.h"

namespace pairs::render {
namespace {

constexpr double pi = std::numbers::pi;
// Scenes and cameras have keys of their own, so that a task may use every (index, item) of its purpose's stream.
constexpr std::uint64_t scene_key = 0x7363656e65000001ull, camera_key = 0x63616d6572610001ull;

double uniform(Stream& stream, double low, double high) {
  return low + (high - low) * stream.uniform64();
}
double uniform(Stream& stream, const Range& range) {
  return uniform(stream, range.low, range.high);
}

// Converts hue, saturation and value, each in [0, 1], to RGB; the hue goes once around the color circle.
void color_of_hsv(double hue, double saturation, double value, double out[3]) {
  const double offsets[3] = {5, 3, 1};
  for (int c = 0; c < 3; ++c) {
    const double k = std::fmod(offsets[c] + 6.0 * hue, 6.0);
    out[c] = value - value * saturation * std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
  }
}

double gap(const Sphere& a, const Sphere& b) {
  return std::hypot(a.center[0] - b.center[0], a.center[1] - b.center[1], a.center[2] - b.center[2]) -
         (a.radius + b.radius);
}

bool separate(const std::vector<Sphere>& spheres) {
  for (std::size_t i = 0; i < spheres.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (gap(spheres[i], spheres[j]) < 0) return false;
  return true;
}

void check_colors(const double color[3], std::string_view where, const std::string& what) {
  for (int c = 0; c < 3; ++c)
    PAIRS_CHECK(color[c] >= 0 && color[c] <= 1, "{}: {} must be three numbers from 0 to 1, but one is {:.6g}", where,
                what, color[c]);
}

}  // namespace

std::int64_t spheres_of_columns(std::int64_t columns) {
  PAIRS_CHECK(columns > 5 && (columns - 5) % 7 == 0 && (columns - 5) / 7 <= max_spheres,
              "A scene's row has 7 numbers for each of 1 to {} spheres and 5 more, not {} in all", max_spheres,
              columns);
  return (columns - 5) / 7;
}

void pack_scene(const SphereScene& scene, double* row) {
  for (const Sphere& s : scene.spheres) {
    row = std::copy_n(s.center, 3, row);
    *row++ = s.radius;
    row = std::copy_n(s.color, 3, row);
  }
  *row++ = scene.light_azimuth;
  *row++ = scene.light_elevation;
  std::copy_n(scene.background, 3, row);
}

torch::Tensor pack_scenes(const std::vector<SphereScene>& scenes) {
  PAIRS_CHECK(!scenes.empty(), "There are no scenes to pack");
  const std::size_t spheres = scenes.front().spheres.size();
  const std::int64_t columns = scene_columns(static_cast<std::int64_t>(spheres));
  torch::Tensor out = at::empty({static_cast<std::int64_t>(scenes.size()), columns}, torch::kFloat64);
  auto* row = out.mutable_data_ptr<double>();
  for (const SphereScene& scene : scenes) {
    PAIRS_CHECK(scene.spheres.size() == spheres, "Scenes of one batch have equally many spheres, not {} and {}",
                spheres, scene.spheres.size());
    pack_scene(scene, row);
    row += columns;
  }
  return out;
}

SphereScene unpack_scene(const torch::Tensor& row) {
  PAIRS_CHECK(row.dim() == 1, "A scene's row has one dimension, not {}", row.dim());
  const torch::Tensor packed = row.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto* in = packed.const_data_ptr<double>();
  SphereScene scene;
  scene.spheres.resize(static_cast<std::size_t>(spheres_of_columns(row.size(0))));
  for (Sphere& s : scene.spheres) {
    std::copy_n(in, 3, s.center);
    s.radius = in[3];
    std::copy_n(in + 4, 3, s.color);
    in += 7;
  }
  scene.light_azimuth = in[0];
  scene.light_elevation = in[1];
  std::copy_n(in + 2, 3, scene.background);
  return scene;
}

void check_scene(const SphereScene& scene, const SceneLimits& limits, std::string_view where) {
  const std::vector<Sphere>& all = scene.spheres;
  PAIRS_CHECK(!all.empty(), "{} has no spheres; give it at least one", where);
  PAIRS_CHECK(all.size() <= max_spheres, "{} has {} spheres; at most {} are possible", where, all.size(), max_spheres);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = fmt::format("sphere {}", i + 1);
    for (const double x : all[i].center)
      PAIRS_CHECK(std::abs(x) <= limits.center,
                  "{}: the center of {} must lie within {:.6g} of the origin in x, y and z, but one is {:.6g}", where,
                  name, limits.center, x);
    PAIRS_CHECK(all[i].radius >= limits.radius_low && all[i].radius <= limits.radius_high,
                "{}: the radius of {} must lie between {:.6g} and {:.6g}, not {:.6g}", where, name, limits.radius_low,
                limits.radius_high, all[i].radius);
    check_colors(all[i].color, where, "the color of " + name);
  }
  check_colors(scene.background, where, "the background");
  PAIRS_CHECK(std::abs(scene.light_azimuth) <= 2 * pi && std::abs(scene.light_elevation) <= pi / 2,
              "{}: the light's azimuth must lie within 360 degrees and its elevation within 90, not {:.6g} and {:.6g}",
              where, scene.light_azimuth * 180 / pi, scene.light_elevation * 180 / pi);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      PAIRS_CHECK(gap(all[i], all[j]) >= 0, "{}: spheres {} and {} overlap by {:.3g}; move them apart or shrink one",
                  where, j + 1, i + 1, -gap(all[i], all[j]));
}

void check_camera(const Camera& camera) {
  PAIRS_CHECK(std::abs(camera.azimuth) <= 2 * pi && std::abs(camera.elevation) <= pi / 2,
              "The camera's azimuth must lie within 360 degrees and its elevation within 90, not {:.6g} and {:.6g}",
              camera.azimuth * 180 / pi, camera.elevation * 180 / pi);
}

SphereScene draw_scene(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::int64_t spheres) {
  PAIRS_CHECK(spheres >= 1 && spheres <= max_drawn_spheres, "A drawn scene has 1 to {} spheres, not {}",
              max_drawn_spheres, spheres);
  Stream stream(stream_key(seed, purpose) ^ scene_key, index);
  SphereScene scene;
  scene.light_azimuth = uniform(stream, 0, 2 * pi);
  scene.light_elevation = uniform(stream, scene_prior.light_elevation);
  for (double& c : scene.background) c = uniform(stream, scene_prior.background);
  scene.spheres.resize(static_cast<std::size_t>(spheres));
  for (Sphere& s : scene.spheres) {
    s.radius = uniform(stream, prior_limits.radius_low, prior_limits.radius_high);
    const double hue = stream.uniform64(), saturation = uniform(stream, scene_prior.vivid),
                 value = uniform(stream, scene_prior.vivid);
    color_of_hsv(hue, saturation, value, s.color);
  }
  do {
    for (Sphere& s : scene.spheres)
      for (double& x : s.center) x = uniform(stream, -prior_limits.center, prior_limits.center);
  } while (!separate(scene.spheres));
  return scene;
}

Camera draw_camera(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item) {
  Stream stream(stream_key(seed, purpose) ^ camera_key, index, item);
  const double azimuth = uniform(stream, 0, 2 * pi);
  return {azimuth, uniform(stream, scene_prior.camera_elevation)};
}

}  // namespace pairs::render
