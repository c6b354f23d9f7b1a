#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/plot/plot_state.h"
#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"
#include "app/gui/widgets/ui_parts.h"
#include "app/scores/glossary.h"
#include "core/report/marks.h"
#include "core/report/marks/mark_kind.h"
#include "core/report/style.h"

namespace pairs::gui {
namespace {

constexpr std::size_t kMostTipRows = 12;  // of a tooltip

bool menu_item(const std::string& name, const char* label, bool checked = false, std::string_view blocked = {}) {
  ImGui::BeginDisabled(!blocked.empty());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float mark = px(24), height = ui::text_size(label).y + px(8);
  const float width = std::max(px(200), mark + ui::text_size(label).x + px(8));
  const bool pressed = ImGui::Selectable(("##" + name).c_str(), false, 0, {width, height});
  ImGui::EndDisabled();
  Item item;
  item.name = name;
  item.min = ImGui::GetItemRectMin();
  item.max = ImGui::GetItemRectMax();
  item.enabled = blocked.empty();
  item.text = label;
  keyboard::offer(std::move(item));
  ui::tip(blocked);
  if (checked) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = at.y + height / 2;
    const ImVec2 tick[3] = {{at.x + px(3), y}, {at.x + px(7), y + px(4)}, {at.x + px(14), y - px(5)}};
    list.AddPolyline(tick, 3, palette().link, 0, px(2));
  }
  ui::text_at({at.x + mark, at.y + px(4)}, label, blocked.empty() ? ui::Look::body : ui::Look::muted);
  return pressed && blocked.empty();
}

// Whether a logarithmic axis could show anything of it.
bool any_above_zero(const Plot& plot, bool across) {
  return std::any_of(chart::mark_kinds().begin(), chart::mark_kinds().end(),
                     [&](const chart::MarkKind* kind) { return kind->above_zero(plot, across); });
}

}  // namespace

void PlotView::State::offer_to_keys(ImVec2 origin) {
  for (std::size_t i = 0; i < layout.plots.size(); ++i) {
    if (shown.plots[i].blank) continue;
    const Rect& area = layout.plots[i].area;
    Item item;
    item.name = fmt::format("{}/{}", name, i);
    item.kind = ItemKind::plot;
    item.min = screen({area.x, area.y}, origin);
    item.max = screen({area.right(), area.bottom()}, origin);
    item.text = shown.plots[i].title;
    item.covers = recorder().on() && chart::legend_over_data(shown.plots[i], layout.plots[i]);
    const keyboard::Held held = keyboard::offer(std::move(item), ImGui::GetCurrentWindow()->GetID(static_cast<int>(i)));
    if (!held.pressed) continue;
    menu_plot = i;
    menu_at = screen({menu_rect(i).x, menu_rect(i).bottom()}, origin);
    ImGui::OpenPopup("menu");
  }
}

void PlotView::State::draw_tip(const Readings& found, ImVec2 min, ImVec2 max, bool turned) const {
  const ui::Surface on(palette().raised);
  std::vector<const Reading*> rows;
  for (const Reading& row : found.rows) rows.push_back(&row);
  const std::size_t left_out = rows.size() > kMostTipRows ? rows.size() - kMostTipRows : 0;
  rows.resize(rows.size() - left_out);
  const std::string more = left_out > 0 ? fmt::format("and {} more", left_out) : "";
  const float key = px(16), gap = px(16), line = ui::text_size("0", ui::Look::small).y + px(4);
  float names_width = ui::text_size(more, ui::Look::small_muted).x, values_width = 0;
  for (const Reading* row : rows) {
    names_width = std::max(names_width, ui::text_size(row->name, ui::Look::small).x);
    values_width = std::max(values_width, ui::text_size(row->value, ui::Look::small_strong).x);
  }
  names_width = std::min(names_width, px(320));
  const float width =
      std::max(key + names_width + gap + values_width, ui::text_size(found.heading, ui::Look::small_muted).x);
  const auto count = static_cast<float>(rows.size() + (left_out > 0 ? 1 : 0) + 1);
  const ImVec2 padding = {px(ui::kTipAcross), px(ui::kTipDown)};
  const ImVec2 size = {width + 2 * padding.x, count * line - px(4) + 2 * padding.y};
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::SetNextWindowPos(ui::tip_place(size, min, max, !turned));
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (recorder().on()) {
    Item item;
    item.name = name + "/tip";
    item.kind = ItemKind::text;
    item.min = {at.x - padding.x, at.y - padding.y};
    item.max = {item.min.x + size.x, item.min.y + size.y};
    item.layer = 2;
    recorder().add(std::move(item));
  }
  ImGui::Dummy({width, count * line - px(4)});
  ui::text_at(at, found.heading, ui::Look::small_muted);
  float y = at.y + line;
  for (const Reading* row : rows) {
    const float middle = y + ui::text_size("0", ui::Look::small).y / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, std::round(middle - px(1.5f))},
                                              {at.x + px(10), std::round(middle - px(1.5f)) + px(3)},
                                              themed(row->color), px(1));
    ui::text_at({at.x + key, y}, row->name, ui::Look::small, names_width);
    ui::text_at({at.x + width - ui::text_size(row->value, ui::Look::small_strong).x, y}, row->value,
                ui::Look::small_strong);
    y += line;
  }
  if (left_out > 0) ui::text_at({at.x + key, y}, more, ui::Look::small_muted);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

// Draws the highlighted lines over everything else, which is dimmed.
void PlotView::State::draw_lit(ImVec2 origin) {
  if (lit.empty()) return;
  constexpr std::size_t kMostPoints = 4000;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto is_lit = [&](const Line& line) {
    return std::any_of(lit.begin(), lit.end(), [&](const std::string& name) { return names_line(name, line.name); });
  };
  for (std::size_t i = 0; i < layout.plots.size(); ++i) {
    const Plot& plot = shown.plots[i];
    const chart::PlotLayout& place = layout.plots[i];
    if (!place.axes || plot.turned || std::none_of(plot.lines.begin(), plot.lines.end(), is_lit)) continue;
    const ImVec2 low = screen({place.area.x, place.area.y}, origin),
                 high = screen({place.area.right(), place.area.bottom()}, origin);
    list.PushClipRect(low, high, true);
    list.AddRectFilled(low, high, (palette().plot & ~IM_COL32_A_MASK) | (170u << IM_COL32_A_SHIFT));
    const auto styles = chart::line_styles(plot);
    for (std::size_t k = 0; k < plot.lines.size(); ++k) {
      const Line& line = plot.lines[k];
      if (!is_lit(line)) continue;
      const ImU32 color = themed(styles[k].color);
      const std::size_t step = std::max<std::size_t>(1, line.x.size() / kMostPoints);
      std::vector<ImVec2> points;
      for (std::size_t j = 0; j < line.x.size(); j += step) {
        const ImVec2 at = screen({place.x.page(line.x[j]), place.y.page(line.y[j])}, origin);
        if (std::isfinite(at.x) && std::isfinite(at.y)) points.push_back(at);
        if (line.markers && std::isfinite(at.x) && std::isfinite(at.y)) list.AddCircleFilled(at, px(4), color, 16);
      }
      list.AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, px(3));
    }
    list.PopClipRect();
  }
}

void PlotView::State::draw_over(ImVec2 origin, bool hovered) {
  near_line.clear();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto box = [&](const Rect& rect, ImU32 color, float rounding) {
    list.AddRectFilled(screen({rect.x, rect.y}, origin), screen({rect.right(), rect.bottom()}, origin), color,
                       rounding);
  };
  if (press == Press::box && moved && pressed_plot < layout.plots.size()) {
    const Rect& area = layout.plots[pressed_plot].area;
    const ImVec2 low = screen({area.x, area.y}, origin), high = screen({area.right(), area.bottom()}, origin);
    ImVec2 a = pressed_at, b = {std::clamp(mouse.x, low.x, high.x), std::clamp(mouse.y, low.y, high.y)};
    if (std::fabs(mouse.x - pressed_at.x) < px(2 * kDrag)) a.x = low.x, b.x = high.x;
    if (std::fabs(mouse.y - pressed_at.y) < px(2 * kDrag)) a.y = low.y, b.y = high.y;
    const ImVec2 from = {std::min(a.x, b.x), std::min(a.y, b.y)}, to = {std::max(a.x, b.x), std::max(a.y, b.y)};
    list.AddRectFilled(from, to, (palette().accent & ~IM_COL32_A_MASK) | (48u << IM_COL32_A_SHIFT));
    list.AddRect(from, to, palette().accent, 0, 0, px(1));
    return;
  }
  const Point at = page(mouse, origin);
  const auto plot = hovered && (press == Press::none || press == Press::menu) ? plot_at(at) : std::nullopt;
  if (!plot) return;
  const chart::PlotLayout& place = layout.plots[*plot];
  const Rect corner = menu_rect(*plot);
  const bool on_corner = corner.contains(at);
  box(corner, on_corner ? palette().pressed : palette().hovered, px(4));
  const ImVec2 middle = screen({corner.x + corner.width / 2, corner.y + corner.height / 2}, origin);
  for (const float dot : {-6.0f, 0.0f, 6.0f})
    list.AddCircleFilled({std::round(middle.x + px(dot)), std::round(middle.y)}, px(1.7f), palette().text, 12);
  if (on_corner) {
    ui::tip_of(screen({corner.x, corner.y}, origin), screen({corner.right(), corner.bottom()}, origin),
               "Axes, reset, save as SVG, PDF, PNG or CSV");
    return;
  }
  if (const auto entry = entry_at(*plot, at)) {
    box(entry_rect(*plot, *entry), (palette().text & ~IM_COL32_A_MASK) | (24u << IM_COL32_A_SHIFT), px(3));
    const std::string& full = names[*plot][*entry];
    const std::string about = explanation(full);
    const Rect rect = entry_rect(*plot, *entry);
    if (!about.empty() || full != place.legend.entries[*entry].name)
      ui::tip_of(screen({rect.x, rect.y}, origin), screen({rect.right(), rect.bottom()}, origin),
                 about.empty() ? full : full + "\n" + about);
    return;
  }
  if (!place.axes || !place.area.contains(at)) return;
  const Readings found = chart::readings(shown.plots[*plot], place, *plot, at, 8, order);
  if (found.rows.empty()) return;
  double nearest = 8 / kPixelsPerPoint;
  for (const Reading& row : found.rows) {
    const double distance = std::hypot(row.at.x - at.x, row.at.y - at.y);
    if (!row.placed || !(distance < nearest)) continue;
    nearest = distance;
    near_line = row.name;
  }
  list.PushClipRect(screen({place.area.x, place.area.y}, origin),
                    screen({place.area.right(), place.area.bottom()}, origin), true);
  const ImVec2 low = screen({place.area.x, place.area.y}, origin),
               high = screen({place.area.right(), place.area.bottom()}, origin),
               cross = screen({found.page_x, found.page_x}, origin);
  const bool turned = shown.plots[*plot].turned;
  const ImVec2 from = turned ? ImVec2{low.x, std::round(cross.y)} : ImVec2{std::round(cross.x), low.y};
  list.AddRectFilled(from, turned ? ImVec2{high.x, from.y + px(1)} : ImVec2{from.x + px(1), high.y},
                     (palette().muted & ~IM_COL32_A_MASK) | (150u << IM_COL32_A_SHIFT));
  for (const Reading& row : found.rows)
    if (row.placed && std::isfinite(row.at.x) && std::isfinite(row.at.y)) {
      list.AddCircleFilled(screen(row.at, origin), px(4.5f), palette().plot, 16);
      list.AddCircleFilled(screen(row.at, origin), px(3.2f), themed(row.color), 16);
    }
  list.PopClipRect();
  // Placed next to the points that it describes, and the mouse.
  ImVec2 least = mouse, most = mouse;
  const auto hold = [&](ImVec2 point) {
    least = {std::min(least.x, point.x - px(6)), std::min(least.y, point.y - px(6))};
    most = {std::max(most.x, point.x + px(6)), std::max(most.y, point.y + px(6))};
  };
  hold(mouse);
  hold(turned ? ImVec2{mouse.x, from.y} : ImVec2{from.x, mouse.y});
  for (const Reading& row : found.rows)
    if (row.placed && std::isfinite(row.at.x) && std::isfinite(row.at.y)) hold(screen(row.at, origin));
  draw_tip(found, least, most, turned);
}

// The actions of clicks on the legend, for the keyboard.
void PlotView::State::series_items() {
  const std::vector<SeriesKey>& keys = entries[menu_plot];
  if (keys.size() < 2) return;
  ImGui::Separator();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool on = !hidden.contains(keys[k]);
    if (!menu_item(fmt::format("{}/menu/series/{}", name, k), names[menu_plot][k].c_str(), on)) continue;
    on ? static_cast<void>(hidden.insert(keys[k])) : static_cast<void>(hidden.erase(keys[k]));
    data_changed = true;
  }
}

void PlotView::State::menu() {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(2)});
  if (menu_at) ImGui::SetNextWindowPos(*menu_at, ImGuiCond_Appearing, {1, 0});
  menu_at.reset();
  const bool open = ImGui::BeginPopup("menu");
  ImGui::PopStyleVar(2);
  if (!open) return;
  if (menu_plot >= views.size() || menu_plot >= layout.plots.size()) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  const ui::Surface on(palette().raised);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(2)});
  Zoom& view = views[menu_plot];
  const Plot &plot = figure->plots[menu_plot], &now = shown.plots[menu_plot];
  const auto scale_item = [&](const char* item, const char* label, bool across, AxisZoom& axis,
                              const Axis& shown_axis) {
    const bool log = shown_axis.scale == AxisScale::log;
    std::string_view blocked;
    if (!layout.plots[menu_plot].axes)
      blocked = "Pictures have no axes.";
    else if (!log && !any_above_zero(plot, across))
      blocked = "A logarithmic axis shows only values above zero, and this plot has none.";
    if (!menu_item(name + "/menu/" + item, label, log, blocked)) return;
    axis.scale = log ? AxisScale::linear : AxisScale::log;
    if (!log && axis.low <= 0) axis.zoomed = false;
  };
  scale_item("log-x", "Logarithmic x axis", true, view.x, now.x);
  scale_item("log-y", "Logarithmic y axis", false, view.y, now.y);
  if (menu_item(name + "/menu/reset", "Reset view")) {
    view = {};
    if (!hidden.empty()) {
      for (const SeriesKey& key : entries[menu_plot]) hidden.erase(key);
      data_changed = true;
    }
  }
  series_items();
  ImGui::Separator();
  if (menu_item(name + "/menu/save-svg", "Save as SVG…")) saver.ask(*figure, ".svg");
  if (menu_item(name + "/menu/save-pdf", "Save as PDF…")) saver.ask(*figure, ".pdf");
  if (menu_item(name + "/menu/save-png", "Save as PNG…")) saver.ask(*figure, ".png");
  if (menu_item(name + "/menu/save-csv", "Save as CSV…")) saver.ask(*figure, ".csv");
  if (menu_item(name + "/menu/copy-csv", "Copy as CSV")) ui::copy(figure_csv(within_axes(seen())));
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

void PlotView::State::record(ImVec2 origin, ImVec2 size, bool hovered) const {
  const auto add = [&](std::string item_name, ItemKind kind, const Rect& rect, std::string text) {
    Item item;
    item.name = std::move(item_name);
    item.kind = kind;
    item.min = screen({rect.x, rect.y}, origin);
    item.max = screen({rect.right(), rect.bottom()}, origin);
    item.text = std::move(text);
    recorder().add(std::move(item));
  };
  const auto under_mouse = hovered ? plot_at(page(ImGui::GetIO().MousePos, origin)) : std::nullopt;
  for (std::size_t i = 0; i < layout.plots.size(); ++i) {
    const std::string plot = fmt::format("{}/{}", name, i);
    if (under_mouse == i) add(plot + "/menu", ItemKind::button, menu_rect(i), "");
    if (layout.plots[i].legend.box.width > 0)
      for (std::size_t k = 0; k < entries[i].size(); ++k)
        add(fmt::format("{}/legend/{}", plot, k), ItemKind::toggle, entry_rect(i, k), names[i][k]);
  }
  for (const DrawListCanvas::Text& text : canvas.texts()) {
    Item item;
    item.kind = ItemKind::text;
    item.min = {origin.x + text.min.x, origin.y + text.min.y};
    item.max = {origin.x + text.max.x, origin.y + text.max.y};
    item.text = text.text;
    item.plotted = true;
    item.clipped = text.min.x < -1 || text.min.y < -1 || text.max.x > size.x + 1 || text.max.y > size.y + 1;
    item.ink = text.ink;
    item.paper = palette().plot;
    recorder().add(std::move(item));
  }
}

}  // namespace pairs::gui
