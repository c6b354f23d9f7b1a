#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/plot/plot_state.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

constexpr double kWheelStep = 1.2;

// Whether the wheel scrolls a panel around the current window.
bool in_scrolling_panel() {
  for (const ImGuiWindow* window = ImGui::GetCurrentWindowRead(); window; window = window->ParentWindow)
    if (window->ScrollMax.y > 0 && !(window->Flags & ImGuiWindowFlags_NoScrollWithMouse)) return true;
  return false;
}

}  // namespace

std::optional<std::size_t> PlotView::State::plot_at(Point at) const {
  for (std::size_t i = 0; i < layout.plots.size(); ++i)
    if (layout.plots[i].cell.contains(at)) return i;
  return {};
}

Rect PlotView::State::entry_rect(std::size_t plot, std::size_t entry) const {
  const chart::Legend& legend = layout.plots[plot].legend;
  const Rect& place = legend.places[entry];
  return {legend.box.x + place.x - chart::kLegendPad / 2, legend.box.y + place.y, place.width + chart::kLegendPad,
          place.height};
}

std::optional<std::size_t> PlotView::State::entry_at(std::size_t plot, Point at) const {
  const chart::Legend& legend = layout.plots[plot].legend;
  if (legend.box.width <= 0) return {};
  for (std::size_t k = 0; k < legend.entries.size(); ++k)
    if (entry_rect(plot, k).contains(at)) return k;
  return {};
}

Rect PlotView::State::menu_rect(std::size_t plot) const {
  const Rect& cell = layout.plots[plot].cell;
  const double side = 24 / kPixelsPerPoint, height = 20 / kPixelsPerPoint;
  return {cell.right() - side - 1, cell.y + 1, side, height};
}

void PlotView::State::begin_press(Point at) {
  press = Press::none;
  moved = false;
  pressed_at = ImGui::GetIO().MousePos;
  const auto plot = plot_at(at);
  if (!plot) return;
  pressed_plot = *plot;
  pressed_line = near_line;
  pressed_view = views[*plot];
  pressed_x = layout.plots[*plot].x;
  pressed_y = layout.plots[*plot].y;
  right_button = ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  const bool axes = layout.plots[*plot].axes, inside = axes && layout.plots[*plot].area.contains(at);
  const auto entry = entry_at(*plot, at);
  if (right_button) {
    press = Press::pan;
  } else if (menu_rect(*plot).contains(at)) {
    press = Press::menu;
  } else if (entry) {
    press = Press::legend;
    pressed_entry = *entry;
  } else if (turn_by) {
    press = Press::turn;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) turn_back();
  } else if (axes && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    views[*plot].x.zoomed = views[*plot].y.zoomed = false;
  } else if (inside) {
    press = ImGui::GetIO().KeyShift ? Press::pan : Press::box;
  }
}

void PlotView::State::drag(ImVec2 origin) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float dx = mouse.x - pressed_at.x, dy = mouse.y - pressed_at.y;
  moved = moved || std::max(std::fabs(dx), std::fabs(dy)) >= px(kDrag);
  if (const ImVec2 by = ImGui::GetIO().MouseDelta; press == Press::turn && moved && (by.x != 0 || by.y != 0))
    turn_by(by);
  if (press != Press::pan || !moved || pressed_plot >= layout.plots.size() || !layout.plots[pressed_plot].axes) return;
  if (!layout.plots[pressed_plot].area.contains(page(pressed_at, origin))) return;
  Zoom next = pressed_view;
  next.x.show(pressed_x, pressed_x.from - dx / pixels(), pressed_x.to - dx / pixels());
  next.y.show(pressed_y, pressed_y.from - dy / pixels(), pressed_y.to - dy / pixels());
  views[pressed_plot] = next;
}

void PlotView::State::end_press(ImVec2 origin) {
  const Press was = std::exchange(press, Press::none);
  if (pressed_plot >= layout.plots.size()) return;
  const chart::PlotLayout& plot = layout.plots[pressed_plot];
  const Point at = page(ImGui::GetIO().MousePos, origin);
  if (was == Press::legend) {
    if (entry_at(pressed_plot, at) != pressed_entry) return;
    const SeriesKey& key = entries[pressed_plot][pressed_entry];
    if (!hidden.erase(key)) hidden.insert(key);
    data_changed = true;
  } else if ((was == Press::menu && menu_rect(pressed_plot).contains(at)) ||
             (was == Press::pan && right_button && !moved)) {
    menu_plot = pressed_plot;
    ImGui::OpenPopup("menu");
  } else if (was == Press::box && !moved) {
    clicked_line = pressed_line;
  } else if (was == Press::box && moved) {
    const Point start = page(pressed_at, origin);
    const double wide = std::fabs(at.x - start.x), tall = std::fabs(at.y - start.y);
    const Rect& area = plot.area;
    // A flat box zooms along one axis.
    if (wide * pixels() >= px(2 * kDrag))
      views[pressed_plot].x.show(plot.x, std::clamp(start.x, area.x, area.right()),
                                 std::clamp(at.x, area.x, area.right()));
    if (tall * pixels() >= px(2 * kDrag))
      views[pressed_plot].y.show(plot.y, std::clamp(start.y, area.y, area.bottom()),
                                 std::clamp(at.y, area.y, area.bottom()));
  }
}

void PlotView::State::wheel(std::size_t index, Point at) {
  const chart::PlotLayout& plot = layout.plots[index];
  const bool over_x = at.y > plot.area.bottom() && at.x >= plot.area.x;
  const bool over_y = at.x < plot.area.x && at.y <= plot.area.bottom();
  if (!plot.axes || (!plot.area.contains(at) && !over_x && !over_y)) return;
  if (!ImGui::GetIO().KeyCtrl && in_scrolling_panel()) return;
  ImGui::SetItemUsingMouseWheel();
  const float turn = ImGui::GetIO().MouseWheel;
  if (turn == 0) return;
  const double factor = std::pow(kWheelStep, -std::clamp(turn, -8.0f, 8.0f));
  const auto zoom = [&](AxisZoom& view, const AxisMap& map, double page_at) {
    view.show(map, page_at + (map.from - page_at) * factor, page_at + (map.to - page_at) * factor);
  };
  if (!over_y) zoom(views[index].x, plot.x, at.x);
  if (!over_x) zoom(views[index].y, plot.y, at.y);
}

void PlotView::State::interact(ImVec2 origin, bool hovered) {
  const Point at = page(ImGui::GetIO().MousePos, origin);
  if (ImGui::IsItemActivated() && hovered) begin_press(at);
  if (ImGui::IsItemActive() && press != Press::none) drag(origin);
  if (ImGui::IsItemDeactivated() && press != Press::none) end_press(origin);
  const auto plot = hovered ? plot_at(at) : std::nullopt;
  if (!plot) return;
  if (press == Press::none) wheel(*plot, at);
  if (turn_by) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  if (entry_at(*plot, at) || menu_rect(*plot).contains(at)) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

// Each plot can have the focus; Enter opens its menu.
}  // namespace pairs::gui
