#include "render/sphere_scene_file.h"

#include <array>
#include <cmath>
#include <numbers>

#include "core/base/fields/fields.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::render {
namespace {

constexpr double degree = std::numbers::pi / 180;

// A scene as written in the file. A sphere that the file does not name has no center.
struct SceneText {
  struct Ball {
    std::vector<double> center, color;
    double radius = 0;
  };
  std::vector<double> background;
  double azimuth = 0, elevation = 0;
  std::array<Ball, max_spheres> balls;
};

std::vector<Field> fields_of(SceneText& text, std::size_t spheres) {
  std::vector<Field> all = {{"background", &text.background, "red, green, blue"},
                            {"light.azimuth", &text.azimuth, "degrees"},
                            {"light.elevation", &text.elevation, "degrees"}};
  for (std::size_t i = 0; i < spheres; ++i) {
    const std::string key = fmt::format("sphere.{}.", i + 1);
    all.push_back({key + "center", &text.balls[i].center, "x, y, z"});
    all.push_back({key + "radius", &text.balls[i].radius, "of the sphere"});
    all.push_back({key + "color", &text.balls[i].color, "red, green, blue"});
  }
  return all;
}

void read_three(const std::vector<double>& from, const std::string& where, const std::string& key, double to[3]) {
  if (from.empty()) fail_usage("{}: '{}' is missing; write it as a list of three numbers", where, key);
  if (from.size() != 3) fail_usage("{}: '{}' must be a list of three numbers, not of {}", where, key, from.size());
  std::copy_n(from.begin(), 3, to);
}

SceneText text_of_scene(const SphereScene& scene) {
  SceneText text;
  text.background.assign(scene.background, scene.background + 3);
  text.azimuth = scene.light_azimuth / degree;
  text.elevation = scene.light_elevation / degree;
  for (std::size_t i = 0; i < scene.spheres.size(); ++i) {
    const Sphere& s = scene.spheres[i];
    text.balls[i] = {{s.center, s.center + 3}, {s.color, s.color + 3}, s.radius};
  }
  return text;
}

}  // namespace

SphereScene parse_scene(std::string_view text, const std::string& where) {
  SphereScene scene;
  SceneText read = text_of_scene(scene);
  read_toml(text, fields_of(read, max_spheres), where);
  read_three(read.background, where, "background", scene.background);
  scene.light_azimuth = read.azimuth * degree;
  scene.light_elevation = read.elevation * degree;
  const auto named = [](const SceneText::Ball& b) { return !b.center.empty() || !b.color.empty() || b.radius != 0; };
  std::size_t count = max_spheres;
  while (count > 0 && !named(read.balls[count - 1])) --count;
  for (std::size_t i = 0; i < count; ++i) {
    const SceneText::Ball& ball = read.balls[i];
    const std::string key = fmt::format("sphere.{}", i + 1);
    if (!named(ball)) fail_usage("{} has a [sphere.{}] but no [{}]; number them without gaps", where, count, key);
    Sphere sphere;
    read_three(ball.center, where, key + ".center", sphere.center);
    read_three(ball.color, where, key + ".color", sphere.color);
    sphere.radius = ball.radius;
    scene.spheres.push_back(sphere);
  }
  check_scene(scene, world_limits, where);
  return scene;
}

SphereScene read_scene(const std::filesystem::path& file) {
  return parse_scene(read_file(file, 1 << 20), printable(file.string(), 300));
}

std::string scene_text(const SphereScene& scene) {
  check_scene(scene);
  SceneText text = text_of_scene(scene);
  return write_toml(fields_of(text, scene.spheres.size()));
}

void write_scene(const std::filesystem::path& file, const SphereScene& scene) {
  write_file(file, scene_text(scene));
}

}  // namespace pairs::render
