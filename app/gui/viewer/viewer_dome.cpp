#include "app/gui/viewer/viewer_dome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

using std::numbers::pi;

constexpr double kDomeRadius = 2, kDistance = 9, kSeenFrom = 0.40, kFrontHalf = 1.05, kStep = 0.05;
constexpr float kSideways = 0.445f, kMiddle = 0.645f, kNearDot = 9, kTargetDot = 6.5f;
constexpr double kDomePerPixel = 0.012;

struct Placed {
  ImVec2 at;
  double depth = 0;  // away from the eye; negative in front of the dome's center
  float size = 1;    // scale there, in pixels per world unit
};

// Perspective of the dome's eye.
struct Eye {
  render::CameraBasis basis;
  ImVec2 middle;
  double scale;

  Placed place(const double p[3]) const {
    const double depth = render::dot3(p, basis.forward), size = scale * kDistance / (kDistance + depth);
    return {{middle.x + static_cast<float>(size * render::dot3(p, basis.right)),
             middle.y - static_cast<float>(size * render::dot3(p, basis.up))},
            depth,
            static_cast<float>(size)};
  }
  Placed on_dome(double azimuth, double elevation, double radius = kDomeRadius) const {
    double p[3];
    render::direction_of(azimuth, elevation, p);
    for (double& x : p) x *= radius;
    return place(p);
  }
};

ImU32 faded(ImU32 color, double alpha) {
  return (color & ~IM_COL32_A_MASK) | static_cast<ImU32>(std::lround(255 * alpha)) << IM_COL32_A_SHIFT;
}

// Pieces of a curve on the dome, those behind fainter.
template <class Point>
void curve(ImDrawList& list, double from, double to, ImU32 color, float width, double alpha, const Point& point) {
  const int pieces = std::max(2, static_cast<int>(std::ceil((to - from) / kStep)));
  Placed last = point(from);
  for (int k = 1; k <= pieces; ++k) {
    const Placed next = point(from + (to - from) * k / pieces);
    const double behind = std::clamp((last.depth + next.depth) / (2 * kDomeRadius), -1.0, 1.0);
    list.AddLine(last.at, next.at, faded(color, alpha * (0.65 - 0.35 * behind)), width);
    last = next;
  }
}

// A ball lit from `light`, in the eye's axes.
void ball(ImDrawList& list, ImVec2 at, float radius, const double color[3], ImVec2 light) {
  const int shells = std::clamp(static_cast<int>(radius), 8, 40);
  for (int k = 0; k < shells; ++k) {
    const float share = static_cast<float>(k) / static_cast<float>(shells);
    const double shade = 0.28 + 0.72 * std::sqrt(static_cast<double>(share));
    const auto channel = [&](int c) {
      return static_cast<int>(std::lround(255 * std::clamp(color[c] * shade, 0.0, 1.0)));
    };
    const float shift = radius * 0.42f * share;
    list.AddCircleFilled({at.x + light.x * shift, at.y + light.y * shift}, radius * (1 - 0.92f * share),
                         IM_COL32(channel(0), channel(1), channel(2), 255), 32);
  }
}

}  // namespace

std::optional<std::size_t> ViewerDome::draw(model::Viewer& viewer, ImVec2 size, std::optional<std::size_t> pointed) {
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + size.x, min.y + size.y};
  ImGui::InvisibleButton("viewer/dome", size);
  recorder().add("viewer/dome", ItemKind::plot, min, max);
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  const ImVec2 mouse = ImGui::GetIO().MousePos;

  // The target stays on the visible half.
  const double ahead = std::remainder(viewer.cameras.target().azimuth - turn_, 2 * pi);
  if (std::abs(ahead) > kFrontHalf) turn_ += ahead - std::copysign(kFrontHalf, ahead);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  list.AddRectFilled(min, max, colors.panel, px(4));
  list.PushClipRect(min, max, true);
  const Eye eye = {render::camera_basis(turn_, kSeenFrom),
                   {min.x + size.x / 2, min.y + size.y * kMiddle},
                   static_cast<double>(std::min(size.x, size.y * 1.1f) * kSideways) / kDomeRadius};

  // The ground, circles of equal height and meridians, stronger in the training range of cameras.
  std::array<ImVec2, 64> ground;
  for (std::size_t k = 0; k < ground.size(); ++k)
    ground[k] = eye.on_dome(2 * pi * static_cast<double>(k) / ground.size(), 0).at;
  list.AddConvexPolyFilled(ground.data(), static_cast<int>(ground.size()), faded(colors.line, 0.35));
  const auto ring = [&](double elevation, double alpha, float width) {
    curve(list, 0, 2 * pi, colors.muted, px(width), alpha, [&](double a) { return eye.on_dome(a, elevation); });
  };
  ring(0, 0.55, 1);
  ring(render::scene_prior.camera_elevation.low, 0.75, 1.2f);
  ring(pi / 4, 0.3, 1);
  ring(render::scene_prior.camera_elevation.high, 0.75, 1.2f);
  for (int k = 0; k < 12; ++k)
    curve(list, 0, pi / 2, colors.muted, px(1), 0.3, [&](double e) { return eye.on_dome(k * pi / 6, e); });

  const std::vector<render::Camera>& views = viewer.cameras.observed();
  std::optional<std::size_t> here;
  std::vector<Placed> dots;
  float least = px(kNearDot);
  for (std::size_t k = 0; k < views.size(); ++k) {
    dots.push_back(eye.on_dome(views[k].azimuth, views[k].elevation));
    const float away = std::hypot(mouse.x - dots[k].at.x, mouse.y - dots[k].at.y);
    if (!hovered || (active && dragged_) || away >= least) continue;
    least = away;
    here = k;
  }
  const auto draw_dots = [&](bool behind) {
    for (int used = 0; used < 2; ++used)
      for (std::size_t k = 0; k < dots.size(); ++k) {
        if ((dots[k].depth > 0) != behind || (static_cast<std::int64_t>(k) < viewer.n()) != (used == 1)) continue;
        const bool marked = here == k || pointed == k;
        const double alpha = (used ? 1.0 : 0.3) * (!behind || marked ? 1 : used ? 0.8 : 0.45);
        const float radius = px(used ? 3.4f : 2.4f) * dots[k].size / static_cast<float>(eye.scale);
        list.AddCircleFilled(dots[k].at, marked ? radius + px(2) : radius,
                             faded(used ? colors.text : colors.muted, marked ? 1 : alpha), 16);
      }
  };
  draw_dots(true);

  // Spheres from the back to the front.
  const render::SphereScene& scene = viewer.scene.shown();
  double toward[3];
  render::direction_of(scene.light_azimuth, scene.light_elevation, toward);
  const ImVec2 light = {static_cast<float>(render::dot3(toward, eye.basis.right)),
                        -static_cast<float>(render::dot3(toward, eye.basis.up))};
  std::vector<std::size_t> order(scene.spheres.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return render::dot3(scene.spheres[a].center, eye.basis.forward) >
           render::dot3(scene.spheres[b].center, eye.basis.forward);
  });
  for (const std::size_t k : order) {
    const Placed at = eye.place(scene.spheres[k].center);
    ball(list, at.at, at.size * static_cast<float>(scene.spheres[k].radius), scene.spheres[k].color, light);
  }

  // The target: its ray to the center, its image plane, itself.
  const render::Camera& target = viewer.cameras.target();
  const double origin[3] = {0, 0, 0};
  const Placed dot = eye.on_dome(target.azimuth, target.elevation), center = eye.place(origin);
  list.AddLine(dot.at, center.at, faded(colors.accent_hovered, 0.8), px(1.5f));
  const render::CameraBasis own = render::camera_basis(target.azimuth, target.elevation);
  std::array<ImVec2, 4> plane;
  for (std::size_t k = 0; k < 4; ++k) {
    const double across = k == 0 || k == 3 ? -0.42 : 0.42, up = k < 2 ? -0.42 : 0.42;
    double p[3];
    for (int c = 0; c < 3; ++c) p[c] = -kDomeRadius * own.forward[c] + across * own.right[c] + up * own.up[c];
    plane[k] = eye.place(p).at;
  }
  list.AddConvexPolyFilled(plane.data(), 4, faded(colors.accent, 0.35));
  list.AddPolyline(plane.data(), 4, colors.accent_hovered, ImDrawFlags_Closed, px(1.5f));
  draw_dots(false);
  list.AddCircleFilled(dot.at, px(kTargetDot), colors.accent_hovered, 24);
  list.AddCircleFilled(dot.at, px(2.5f), colors.on_accent, 12);
  list.PopClipRect();

  if (ImGui::IsItemActivated()) dragged_ = false;
  if (active && ImGui::IsMouseDragging(0, px(3))) {
    dragged_ = true;
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    viewer.cameras.orbit(kDomePerPixel * static_cast<double>(by.x / scale()),
                         -kDomePerPixel * static_cast<double>(by.y / scale()));
  }
  if (ImGui::IsItemDeactivated() && !dragged_ && here) viewer.cameras.set_target(views[*here]);
  if (here && !active) {
    const render::Camera& view = views[*here];
    ui::tip(fmt::format("View {}: azimuth {:.0f}°, elevation {:.0f}°. Click to move the target camera here.", *here + 1,
                        view.azimuth * 180 / pi, view.elevation * 180 / pi));
  } else if (!active) {
    ui::tip(
        "The cameras around the scene: the square is the target camera, dots are observed views, faint ones are not "
        "used at this N. Drag to orbit the target. Training had its cameras between the two stronger circles.");
  }
  return here;
}

}  // namespace pairs::gui
