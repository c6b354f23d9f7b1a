#include "app/model/viewer/viewer_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/model/viewer/viewer_state.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "render/sphere_scene_file.h"

namespace pairs::model {

void ViewerScene::choose_seed(std::int64_t seed) {
  ViewerState& s = state_;
  s.seed = std::max<std::int64_t>(seed, 0);
  s.draw_scene();
  s.draw_views(s.count());
  s.ask();
}

std::int64_t ViewerScene::seed() const {
  return state_.seed;
}

bool ViewerScene::edited() const {
  return state_.edited;
}

const render::SphereScene& ViewerScene::shown() const {
  return state_.request.scene;
}

void ViewerScene::set_sphere(std::size_t k, const render::Sphere& sphere) {
  ViewerState& s = state_;
  if (k >= s.request.scene.spheres.size()) return;
  s.request.scene.spheres[k] = sphere;
  s.change_scene(k);
}

void ViewerScene::set_light(double azimuth, double elevation) {
  ViewerState& s = state_;
  s.request.scene.light_azimuth = azimuth;
  s.request.scene.light_elevation = elevation;
  s.change_scene(s.request.scene.spheres.size());
}

void ViewerScene::set_background(const double color[3]) {
  ViewerState& s = state_;
  std::copy(color, color + 3, s.request.scene.background);
  s.change_scene(s.request.scene.spheres.size());
}

std::optional<std::size_t> ViewerScene::sphere_at(double u, double v) const {
  const ViewerState& s = state_;
  const render::CameraBasis basis = render::camera_basis(s.request.target.azimuth, s.request.target.elevation);
  std::optional<std::size_t> nearest;
  double least = INFINITY;
  for (std::size_t k = 0; k < s.request.scene.spheres.size(); ++k) {
    const render::Sphere& sphere = s.request.scene.spheres[k];
    const double across = u * s.info.half_width - render::dot3(sphere.center, basis.right);
    const double up = v * s.info.half_width - render::dot3(sphere.center, basis.up);
    const double rest = sphere.radius * sphere.radius - across * across - up * up;
    if (rest <= 0) continue;
    const double depth = render::dot3(sphere.center, basis.forward) - std::sqrt(rest);
    if (depth >= least) continue;
    least = depth;
    nearest = k;
  }
  return nearest;
}

void ViewerScene::move_sphere(std::size_t k, const render::Sphere& from, double du, double dv, double away) {
  ViewerState& s = state_;
  const render::CameraBasis basis = render::camera_basis(s.request.target.azimuth, s.request.target.elevation);
  render::Sphere sphere = from;
  for (int c = 0; c < 3; ++c)
    sphere.center[c] += s.info.half_width * (du * basis.right[c] + dv * basis.up[c] + away * basis.forward[c]);
  set_sphere(k, sphere);
}

std::string ViewerScene::open(const std::filesystem::path& file) {
  ViewerState& s = state_;
  try {
    render::SphereScene scene = render::read_scene(file);
    const auto spheres = static_cast<std::int64_t>(scene.spheres.size());
    if (spheres != s.info.spheres)
      return fmt::format("{} has {} sphere{}, and the scenes of this run have {}", file.string(), spheres,
                         spheres == 1 ? "" : "s", s.info.spheres);
    s.scene_file = std::filesystem::absolute(file);
    s.saved_scene = scene;
    s.request.scene = std::move(scene);
    s.change_scene(s.request.scene.spheres.size());
    return "";
  } catch (const std::exception& error) {
    return sentence(error);
  }
}

void ViewerScene::undo_edits() {
  ViewerState& s = state_;
  if (!s.edited) return;
  s.draw_scene();
  s.ask();
}

void ViewerScene::select(std::size_t k) {
  state_.selected = std::min(k, state_.request.scene.spheres.size() - 1);
}

std::size_t ViewerScene::selected() const {
  return state_.selected;
}

}  // namespace pairs::model
