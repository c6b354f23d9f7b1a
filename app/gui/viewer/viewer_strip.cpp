#include "app/gui/viewer/viewer_strip.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

constexpr float kThumb = 52, kBetween = 4, kUnused = 0.32f, kMark = 3;

// A cross in the corner of a thumbnail.
void cross(ImVec2 corner) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 middle = {corner.x - px(9), corner.y + px(9)};
  list.AddCircleFilled(middle, px(7), IM_COL32(0, 0, 0, 190), 20);
  const float arm = px(3);
  list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, IM_COL32_WHITE, px(1.5f));
  list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, IM_COL32_WHITE, px(1.5f));
}

}  // namespace

std::optional<std::size_t> ViewerStrip::draw(model::Viewer& viewer, PictureTextures& textures,
                                             std::optional<std::size_t> pointed) {
  const auto count = static_cast<std::int64_t>(viewer.cameras.observed().size());
  // The number of views, and the buttons at the right end.
  const float near = px(4), right = ImGui::GetContentRegionAvail().x + ImGui::GetCursorPosX();
  const float buttons = ui::button_width("Add view") + ui::button_width("Fill") + ui::button_width("Clear") + 2 * near;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float drop = (ImGui::GetFrameHeight() - ui::text_size("x", ui::Look::small).y) / 2;
  ui::text_at({at.x, at.y + drop}, "Observed views", ui::Look::small_strong);
  const float title = ui::text_size("Observed views", ui::Look::small_strong).x + px(8);
  const std::string used = count == 0            ? "none"
                           : viewer.n() == count ? fmt::format("all {} used", count)
                                                 : fmt::format("the first {} of {} used", viewer.n(), count);
  ui::text_at({at.x + title, at.y + drop}, used, ui::Look::small_muted, right - buttons - title - px(16));
  ImGui::SetCursorPosX(right - buttons);
  const std::string full = viewer.cameras.add_blocked();
  if (ui::button("viewer/add", "Add view", ui::Button::quiet, full, "A camera drawn from the prior"))
    viewer.cameras.add();
  ImGui::SameLine(0, near);
  if (ui::button("viewer/fill", "Fill", ui::Button::quiet, full, "As many views as a set can hold"))
    viewer.cameras.fill();
  ImGui::SameLine(0, near);
  if (ui::button("viewer/clear", "Clear", ui::Button::quiet, count == 0 ? "There is no view" : "", "Removes all views"))
    viewer.cameras.clear();

  std::optional<std::size_t> here, removed;
  const float thumb = px(kThumb), step = thumb + px(kBetween);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("viewer/strip", {0, thumb + px(kMark) + px(16)}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PopStyleVar();
  if (count == 0) {
    ui::text("Without views there is nothing to infer from: add some.", ui::Look::muted);
  } else {
    // The wheel scrolls the strip sideways; the last view used stays visible.
    if (ImGui::IsWindowHovered() && ImGui::GetScrollMaxX() > 0) {
      if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0)
        ImGui::SetScrollX(std::clamp(ImGui::GetScrollX() - wheel * 3 * step, 0.0f, ImGui::GetScrollMaxX()));
    }
    if (viewer.n() != seen_n_) {
      const float end = static_cast<float>(viewer.n()) * step, room = ImGui::GetWindowWidth();
      if (end > ImGui::GetScrollX() + room || end - step < ImGui::GetScrollX())
        ImGui::SetScrollX(std::max(0.0f, end - room / 2));
      seen_n_ = viewer.n();
    }
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float left = ImGui::GetWindowPos().x, edge = left + ImGui::GetWindowWidth();
    const auto& pictures = viewer.view_pictures();
    const Palette& colors = palette();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (std::int64_t k = 0; k < count; ++k) {
      const ImVec2 min = {start.x + static_cast<float>(k) * step, start.y}, max = {min.x + thumb, min.y + thumb};
      if (max.x < left || min.x > edge) continue;
      const auto index = static_cast<std::size_t>(k);
      const bool in_use = k < viewer.n();
      ImGui::SetCursorScreenPos(min);
      const std::string name = fmt::format("viewer/view/{}", k);
      if (ImGui::InvisibleButton(name.c_str(), {thumb, thumb})) removed = index;
      ImGui::SetItemUsingMouseWheel();
      keyboard::offer(name, ItemKind::button, min, max);
      textures.draw(index < pictures.size() ? pictures[index] : nullptr, min, max, in_use ? 1 : kUnused);
      if (ImGui::IsItemHovered()) {
        here = index;
        cross({max.x, min.y});
      }
      if (here == index || pointed == index)
        list.AddRect({min.x - px(1), min.y - px(1)}, {max.x + px(1), max.y + px(1)}, colors.accent_hovered, px(5), 0,
                     px(2));
      if (in_use)
        list.AddRectFilled({min.x, max.y + px(2)},
                           {max.x + (k + 1 < viewer.n() ? px(kBetween) : 0), max.y + px(2 + kMark)}, colors.accent);
      const render::Camera& view = viewer.cameras.observed()[index];
      ui::tip(fmt::format("View {}: azimuth {:.0f}°, elevation {:.0f}°. Click to remove it.", k + 1,
                          view.azimuth * 180 / std::numbers::pi, view.elevation * 180 / std::numbers::pi));
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({static_cast<float>(count) * step, thumb + px(kMark + 2)});
  }
  ImGui::EndChild();
  if (removed) viewer.cameras.remove(*removed);
  return here;
}

}  // namespace pairs::gui
