#include "app/gui/viewer/viewer_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"
#include "app/kinds/range_text.h"

namespace pairs::gui {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr float kEditorLabels = 84;

bool named_slider(const char* name, const char* label, double& value, double low, double high, const char* format,
                  const char* tip) {
  ui::label(label, tip, kEditorLabels);
  return ui::slider(name, value, std::min(low, value), std::max(high, value), format, tip);
}

ImU32 paint(const double color[3]) {
  const auto channel = [&](int c) { return static_cast<int>(std::lround(255 * std::clamp(color[c], 0.0, 1.0))); };
  return IM_COL32(channel(0), channel(1), channel(2), 255);
}

}  // namespace

void ViewerEditor::camera(model::Viewer& viewer) {
  double azimuth = viewer.cameras.target().azimuth * kDegrees, elevation = viewer.cameras.target().elevation * kDegrees;
  ui::text("Target camera", ui::Look::small_strong);
  bool changed = named_slider("viewer/azimuth", "Azimuth", azimuth, 0, 360, "%.0f°",
                              "Azimuth of the target camera; or drag the truth or the dome");
  changed |= named_slider(
      "viewer/elevation", "Elevation", elevation, model::kElevationLow * kDegrees, model::kElevationHigh * kDegrees,
      "%.0f°",
      fmt::format("Elevation of the target camera; training had {}", degrees_text(render::scene_prior.camera_elevation))
          .c_str());
  if (changed) viewer.cameras.set_target({std::min(azimuth, 359.999) / kDegrees, elevation / kDegrees});
}

void ViewerEditor::scene(model::Viewer& viewer) {
  const render::SphereScene& scene = viewer.scene.shown();
  ui::text("Scene", ui::Look::small_strong);
  ui::text(viewer.scene.edited() ? fmt::format("Seed {}, changed by hand", viewer.scene.seed())
                                 : fmt::format("Seed {} of the prior", viewer.scene.seed()),
           ui::Look::small_muted);
  // The choice of the sphere: one disc of its color each.
  const float side = ImGui::GetFrameHeight(), radius = side * 0.36f;
  for (std::size_t k = 0; k < scene.spheres.size(); ++k) {
    const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + side, min.y + side};
    const std::string name = fmt::format("viewer/sphere/{}", k);
    if (k > 0 && ImGui::GetContentRegionAvail().x < side) break;
    if (ImGui::InvisibleButton(name.c_str(), {side, side})) viewer.scene.select(k);
    keyboard::offer(name, ItemKind::button, min, max);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 middle = {(min.x + max.x) / 2, (min.y + max.y) / 2};
    if (k == viewer.scene.selected()) list.AddCircle(middle, radius + px(3), palette().accent_hovered, 32, px(2));
    list.AddCircleFilled(middle, radius, paint(scene.spheres[k].color), 32);
    if (ImGui::IsItemHovered() && k != viewer.scene.selected())
      list.AddCircle(middle, radius + px(3), palette().muted, 32);
    ui::tip(fmt::format("Sphere {}: the sliders below are of the one that is ringed", k + 1));
    ImGui::SameLine(0, px(4));
  }
  if (ui::button("viewer/undo", "Undo changes", ui::Button::quiet,
                 viewer.scene.edited() ? "" : "Nothing in the scene was changed by hand", "Back to the seed's scene"))
    viewer.scene.undo_edits();

  render::Sphere sphere = scene.spheres[viewer.scene.selected()];
  float rgb[3], kept[3];
  for (int c = 0; c < 3; ++c) rgb[c] = static_cast<float>(sphere.color[c]);
  // A gray color keeps its previous hue.
  ImGui::ColorConvertHSVtoRGB(hue_, saturation_, value_, kept[0], kept[1], kept[2]);
  const auto close = [](float a, float b) { return std::abs(a - b) < 1e-5f; };
  if (!std::equal(rgb, rgb + 3, kept, close))
    ImGui::ColorConvertRGBtoHSV(rgb[0], rgb[1], rgb[2], hue_, saturation_, value_);
  double hue = static_cast<double>(hue_) * 360, saturation = static_cast<double>(saturation_),
         value = static_cast<double>(value_);
  bool colored = named_slider("viewer/hue", "Hue", hue, 0, 360, "%.0f°", "Color of the ringed sphere");
  colored |= named_slider("viewer/saturation", "Saturation", saturation, 0, 1, "%.2f",
                          "How colorful the ringed sphere is; training had 0.75 to 1");
  colored |= named_slider("viewer/brightness", "Brightness", value, 0, 1, "%.2f",
                          "How bright the ringed sphere is; training had 0.75 to 1");
  if (colored) {
    hue_ = std::min(static_cast<float>(hue / 360), 0.99999f);
    saturation_ = static_cast<float>(saturation);
    value_ = static_cast<float>(value);
    ImGui::ColorConvertHSVtoRGB(hue_, saturation_, value_, rgb[0], rgb[1], rgb[2]);
    for (int c = 0; c < 3; ++c) sphere.color[c] = static_cast<double>(rgb[c]);
  }
  const bool sized = named_slider("viewer/radius", "Radius", sphere.radius, render::prior_limits.radius_low,
                                  render::prior_limits.radius_high, "%.2f",
                                  "Of the ringed sphere; or turn the wheel over a sphere in the true view");
  if (colored || sized) viewer.scene.set_sphere(viewer.scene.selected(), sphere);

  ui::space(8);
  ui::text("Light", ui::Look::small_strong);
  double azimuth = scene.light_azimuth * kDegrees, height = scene.light_elevation * kDegrees;
  bool lit = named_slider("viewer/light-azimuth", "Azimuth", azimuth, 0, 360, "%.0f°", "Where the light comes from");
  lit |= named_slider("viewer/light-elevation", "Elevation", height, 0, 90, "%.0f°",
                      "Elevation of the light; training had 30° to 60°");
  if (lit) viewer.scene.set_light(std::min(azimuth, 359.999) / kDegrees, height / kDegrees);

  ui::space(8);
  ui::text("Background", ui::Look::small_strong);
  double back[3] = {scene.background[0], scene.background[1], scene.background[2]};
  const char* tip = "Of the background; training had 0.05 to 0.2";
  bool painted = named_slider("viewer/background-red", "Red", back[0], 0, 0.5, "%.2f", tip);
  painted |= named_slider("viewer/background-green", "Green", back[1], 0, 0.5, "%.2f", tip);
  painted |= named_slider("viewer/background-blue", "Blue", back[2], 0, 0.5, "%.2f", tip);
  if (painted) viewer.scene.set_background(back);
}

}  // namespace pairs::gui
