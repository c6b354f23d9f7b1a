#include "app/model/viewer/viewer_cameras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/kinds/range_text.h"
#include "app/model/viewer/same_scene.h"
#include "app/model/viewer/viewer_state.h"

namespace pairs::model {
namespace {

using std::numbers::pi;

constexpr double kHair = 1e-9;

bool in_range(double x, const render::Range& range) {
  return x >= range.low - kHair && x <= range.high + kHair;
}

bool vivid(const double color[3]) {
  const double least = render::scene_prior.vivid.low;
  const auto [low, high] = std::minmax({color[0], color[1], color[2]});
  return high >= least - kHair && low <= (1 - least) * high + kHair;
}

double within_turn(double angle) {
  return std::isfinite(angle) ? angle - 2 * pi * std::floor(angle / (2 * pi)) : 0;
}

}  // namespace

const std::vector<render::Camera>& ViewerCameras::observed() const {
  return state_.request.views;
}

void ViewerCameras::add() {
  ViewerState& s = state_;
  if (!add_blocked().empty()) return;
  s.request.views.push_back(s.draw_view());
  s.ask();
}

void ViewerCameras::fill() {
  ViewerState& s = state_;
  if (!add_blocked().empty()) return;
  while (s.count() < s.info.most) s.request.views.push_back(s.draw_view());
  s.ask();
}

void ViewerCameras::remove(std::size_t k) {
  ViewerState& s = state_;
  if (k >= s.request.views.size()) return;
  s.request.views.erase(s.request.views.begin() + static_cast<std::ptrdiff_t>(k));
  s.ask();
}

void ViewerCameras::clear() {
  ViewerState& s = state_;
  s.request.views.clear();
  s.ask();
}

std::string ViewerCameras::add_blocked() const {
  const ViewerState& s = state_;
  if (s.count() < s.info.most) return "";
  return fmt::format("A set holds at most {} views; click one to remove it", s.info.most);
}

const render::Camera& ViewerCameras::target() const {
  return state_.request.target;
}

void ViewerCameras::set_target(const render::Camera& camera) {
  ViewerState& s = state_;
  const double elevation = std::isfinite(camera.elevation) ? camera.elevation : s.request.target.elevation;
  const render::Camera next = {within_turn(camera.azimuth), std::clamp(elevation, kElevationLow, kElevationHigh)};
  if (same_camera(next, s.request.target)) return;
  s.request.target = next;
  s.ask();
}

void ViewerCameras::orbit(double azimuth, double elevation) {
  const render::Camera& target = state_.request.target;
  set_target({target.azimuth + azimuth, target.elevation + elevation});
}

std::string ViewerCameras::beyond() const {
  const ViewerState& s = state_;
  const render::SphereScene& scene = s.request.scene;
  const render::ScenePrior& prior = render::scene_prior;
  std::vector<std::string> parts;
  if (!in_range(s.request.target.elevation, prior.camera_elevation))
    parts.push_back(fmt::format("a camera {:.0f}° high ({})", s.request.target.elevation / kViewerDegree,
                                degrees_text(prior.camera_elevation)));
  if (!in_range(scene.light_elevation, prior.light_elevation))
    parts.push_back(fmt::format("a light {:.0f}° high ({})", scene.light_elevation / kViewerDegree,
                                degrees_text(prior.light_elevation)));
  if (!std::all_of(scene.background, scene.background + 3, [&](double c) { return in_range(c, prior.background); }))
    parts.push_back(fmt::format("this background ({})", range_text(prior.background)));
  if (!std::all_of(scene.spheres.begin(), scene.spheres.end(),
                   [](const render::Sphere& sphere) { return vivid(sphere.color); }))
    parts.push_back("colors as pale or dark as these");
  if (parts.empty()) return "";
  std::string list = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) list += (k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return fmt::format("Training never saw {}: the samples may be wrong", list);
}

}  // namespace pairs::model
