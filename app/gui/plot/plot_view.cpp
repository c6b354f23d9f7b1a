#include "app/gui/plot/plot_view.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "app/gui/plot/draw_list_canvas.h"
#include "app/gui/plot/figure_saver.h"
#include "app/gui/plot/plot_readings.h"
#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"
#include "app/text/glossary.h"
#include "core/base/error.h"
#include "core/report/draw.h"
#include "core/report/marks.h"
#include "core/report/ranges.h"

namespace pairs::gui {
namespace {

using chart::AxisMap;
using chart::KeyKind;
using chart::Point;
using chart::Rect;

constexpr float kPixelsPerPoint = 1.5f;             // at scale 1: tick labels of 12 px
constexpr float kNarrowPlot = 220, kLowPlot = 130;  // pixels at scale 1 below which a grid has fewer columns or rows
constexpr double kSmallestPlot = 60;                // points: what a figure's layout can still do
constexpr float kDrag = 4;                          // pixels of movement that make a click a drag
constexpr double kWheelStep = 1.2;
constexpr std::size_t kMostRows = 12;  // of a tooltip

// Series of one name, kind, role and style are one entry of a legend, and one in all plots of a figure.
struct SeriesKey {
  KeyKind kind;
  std::string name;
  SeriesRole role;
  LineStyle style;
  auto operator<=>(const SeriesKey&) const = default;
};

// Calls `visit(key, empty)` for every series of a plot; `empty()` takes its data away, so that it takes no part in
// ranges and drawing but keeps its place in the legend.
template <class PlotType, class Visit>
void each_series(PlotType& plot, Visit visit) {
  for (auto& line : plot.lines)
    visit(
        SeriesKey{KeyKind::line, line.name, line.role, line.style}, [](auto& l) { l.x = l.y = l.lower = l.upper = {}; },
        line);
  for (auto& contour : plot.contours)
    visit(
        SeriesKey{KeyKind::line, contour.name, contour.role, contour.style}, [](auto& c) { c.x = c.y = {}; }, contour);
  for (auto& bars : plot.bars)
    visit(
        SeriesKey{KeyKind::fill, bars.name, bars.role, LineStyle::solid}, [](auto& b) { b.edges = b.heights = {}; },
        bars);
  for (auto& scatter : plot.scatters)
    visit(
        SeriesKey{KeyKind::point, scatter.name, scatter.role, LineStyle::solid}, [](auto& s) { s.x = s.y = {}; },
        scatter);
  for (auto& rule : plot.rules)
    visit(
        SeriesKey{KeyKind::rule, rule.name, rule.role, LineStyle::solid}, [](auto& r) { r.x = NAN; }, rule);
  for (auto& band : plot.bands)
    visit(
        SeriesKey{KeyKind::floor, band.name, SeriesRole::other, LineStyle::solid},
        [](auto& b) { b.low = b.high = NAN; }, band);
}

// The keys of a plot's legend entries, in their order.
std::vector<SeriesKey> legend_keys(const Plot& plot, const std::vector<chart::LegendEntry>& entries) {
  std::vector<SeriesKey> keys;
  const auto lines = chart::line_styles(plot), contours = chart::contour_styles(plot),
             scatters = chart::scatter_styles(plot), bars = chart::bar_styles(plot);
  for (const chart::LegendEntry& entry : entries) {
    SeriesKey key{entry.kind, entry.name, SeriesRole::other, LineStyle::solid};
    const auto find = [&](const auto& all, const auto& styles) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == entry.name && styles[i].color == entry.style.color && styles[i].style == entry.style.style) {
          key.role = all[i].role;
          if constexpr (requires { all[i].style; }) key.style = all[i].style;
          return true;
        }
      return false;
    };
    if (entry.kind == KeyKind::line) {
      if (!find(plot.lines, lines)) find(plot.contours, contours);
    } else if (entry.kind == KeyKind::fill) {
      find(plot.bars, bars);
    } else if (entry.kind == KeyKind::point) {
      find(plot.scatters, scatters);
    } else if (entry.kind == KeyKind::rule) {
      for (const Rule& rule : plot.rules)
        if (rule.name == entry.name && role_color(rule.role) == entry.style.color) key.role = rule.role;
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

// What a person changed of an axis.
struct AxisView {
  std::optional<AxisScale> scale;
  bool zoomed = false;
  double low = 0, high = 0;
  bool operator==(const AxisView&) const = default;

  Axis applied(Axis axis) const {
    if (scale) axis.scale = *scale;
    if (zoomed) {
      axis.low = low;
      axis.high = high;
    }
    if (axis.scale == AxisScale::log && axis.low != axis.high && axis.low <= 0) axis.low = axis.high = 0;
    return axis;
  }

  // Shows what lies on the page between `from` and `to`; nothing happens where numbers have no room for that.
  void show(const AxisMap& map, double from, double to) {
    double a = map.value(from), b = map.value(to);
    if (a > b) std::swap(a, b);
    const bool log = map.scale == AxisScale::log;
    if (!std::isfinite(a) || !std::isfinite(b) || (log && !(a > 1e-300))) return;
    const double size = std::max(std::fabs(a), std::fabs(b));
    if (log ? !(b / a > 1 + 1e-9) || b > 1e300 : !(b - a > 1e-10 * size) || !(b - a > 1e-290) || size > 1e290) return;
    zoomed = true;
    low = a;
    high = b;
  }
};

struct View {
  AxisView x, y;
  bool operator==(const View&) const = default;
};

enum class Press { none, box, pan, legend, menu };

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
  const auto any = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double v) { return v > 0 && std::isfinite(v); });
  };
  for (const Line& line : plot.lines)
    if (any(across ? line.x : line.y)) return true;
  for (const Contour& contour : plot.contours)
    if (any(across ? contour.x : contour.y)) return true;
  for (const Scatter& scatter : plot.scatters)
    if (any(across ? scatter.x : scatter.y)) return true;
  for (const Bars& bars : plot.bars)
    if (any(across ? bars.edges : bars.heights)) return true;
  return false;
}

// Whether the wheel moves a panel that the current window stands in.
bool in_scrolling_panel() {
  for (const ImGuiWindow* window = ImGui::GetCurrentWindowRead(); window; window = window->ParentWindow)
    if (window->ScrollMax.y > 0 && !(window->Flags & ImGuiWindowFlags_NoScrollWithMouse)) return true;
  return false;
}

std::string current_subject;

// Which of the plots in view a shortcut means: the one under the mouse, else the largest, as of the last frame.
struct SaveRequest {
  struct Seen {
    float largest = 0;
    bool hovered = false;
  };
  Seen last, now;
  int frame = 0;
  std::string extension;  // what to save as; "" when nothing was asked for

  void turn() {
    const int current = ImGui::GetFrameCount();
    if (current == frame) return;
    last = current == frame + 1 ? now : Seen();
    now = {};
    frame = current;
  }
  bool meant_for(bool hovered, float area) {
    turn();
    now.largest = std::max(now.largest, area);
    now.hovered |= hovered;
    return !extension.empty() && (last.hovered ? hovered : area >= last.largest);
  }
} save_request;

}  // namespace

struct PlotView::State {
  // All that decides what is drawn, but for the views of the plots.
  struct Look {
    ImVec2 size;
    float scale = 0;
    ThemeKind theme = ThemeKind::dark;
    const void *font = nullptr, *atlas = nullptr;
    int textures = -1;
    bool operator==(const Look& o) const {
      return size.x == o.size.x && size.y == o.size.y && scale == o.scale && theme == o.theme && font == o.font &&
             atlas == o.atlas && textures == o.textures;
    }
  };

  std::string name;
  Caption caption = Caption::title;
  std::string subject;
  std::shared_ptr<const Figure> figure;
  std::set<SeriesKey> hidden;
  std::vector<View> views;
  FigureSaver saver;

  // Of the figure: its data, without hidden series, in the axes and sizes of the window.
  Figure shown;
  chart::FigureLayout layout;
  std::vector<std::vector<SeriesKey>> entries;  // of each plot's legend
  std::vector<std::vector<std::string>> names;  // of these, in full
  std::string failure;
  DrawListCanvas canvas;
  Look look;
  std::vector<View> laid_out;
  std::vector<chart::LabelRoom> labels;  // of the plots so far
  bool data_changed = true;
  std::int64_t rebuilds = 0;
  LineOrder order;

  // Of the mouse.
  Press press = Press::none;
  bool moved = false;
  std::size_t pressed_plot = 0, pressed_entry = 0, menu_plot = 0;
  ImVec2 pressed_at;
  View pressed_view;
  AxisMap pressed_x, pressed_y;
  bool right_button = false;
  std::optional<ImVec2> menu_at;  // where the keys have opened it

  double pixels() const { return kPixelsPerPoint * gui::scale(); }
  Point page(ImVec2 at, ImVec2 origin) const { return {(at.x - origin.x) / pixels(), (at.y - origin.y) / pixels()}; }
  ImVec2 screen(Point at, ImVec2 origin) const {
    return {origin.x + static_cast<float>(at.x * pixels()), origin.y + static_cast<float>(at.y * pixels())};
  }

  void take(const std::shared_ptr<const Figure>& next);
  void choose_grid(ImVec2 size);
  void rebuild(ImVec2 size);
  std::optional<std::size_t> plot_at(Point at) const;
  std::optional<std::size_t> entry_at(std::size_t plot, Point at) const;
  Rect entry_rect(std::size_t plot, std::size_t entry) const;
  Rect menu_rect(std::size_t plot) const;
  void interact(ImVec2 origin, bool hovered);
  void begin_press(Point at);
  void drag(ImVec2 origin);
  void end_press(ImVec2 origin);
  void wheel(std::size_t plot, Point at);
  void draw_over(ImVec2 origin, bool hovered);
  void offer_to_keys(ImVec2 origin);
  void draw_tip(const Readings& found) const;
  void menu();
  void series_items();
  void record(ImVec2 origin, ImVec2 size, bool hovered) const;
  Figure seen() const;
};

void PlotView::State::take(const std::shared_ptr<const Figure>& next) {
  if (next != figure) {
    figure = next;
    data_changed = true;
  }
  if (figure && views.size() != figure->plots.size()) views.resize(figure->plots.size());
}

void PlotView::State::choose_grid(ImVec2 size) {
  const auto count = static_cast<std::int64_t>(figure->plots.size());
  std::int64_t columns = std::max<std::int64_t>(1, std::min(figure->columns, count));
  const auto height = [&](std::int64_t c) { return size.y / static_cast<float>((count + c - 1) / c); };
  while (columns > 1 && size.x / static_cast<float>(columns) < px(kNarrowPlot) && height(columns - 1) >= px(kLowPlot))
    --columns;
  shown.columns = columns;
  const double width = size.x / pixels();
  const double frame = chart::frame_height(shown, width, [&](std::string_view text, double text_size, bool bold) {
    return draw_list_text_width(text, text_size, bold, pixels());
  });
  const std::int64_t rows = (count + columns - 1) / columns;
  shown.plot_width = std::clamp(width / static_cast<double>(columns), kSmallestPlot, 5000.0);
  shown.plot_height = std::clamp((size.y / pixels() - frame) / static_cast<double>(rows), kSmallestPlot, 5000.0);
}

void PlotView::State::rebuild(ImVec2 size) {
  const Look now{size, gui::scale(), theme(), fonts().body, ImGui::GetIO().Fonts, texture_generation()};
  if (!data_changed && now == look && views == laid_out) return;
  ++rebuilds;
  // Room for the widest labels so far: the areas stay where they are while data change.
  if (now != look || labels.size() != views.size()) {
    const auto width = [&](const char* text) { return draw_list_text_width(text, chart::kTickText, false, pixels()); };
    labels.assign(views.size(), {width("0.000"), width("0.000") / 2});
  }
  failure.clear();
  layout = {};
  entries.clear();
  names.clear();
  try {
    if (data_changed) {
      shown = *figure;
      shown.source.clear();
      if (caption == Caption::none) shown.title.clear();
      order.clear();
      if (!hidden.empty())
        for (Plot& plot : shown.plots)
          each_series(plot, [&](const SeriesKey& key, auto empty, auto& series) {
            if (hidden.contains(key)) empty(series);
          });
    }
    choose_grid(size);
    for (std::size_t i = 0; i < views.size(); ++i) {
      shown.plots[i].x = views[i].x.applied(figure->plots[i].x);
      shown.plots[i].y = views[i].y.applied(figure->plots[i].y);
    }
    const double scale = pixels();
    layout = chart::layout_figure(
        shown,
        [scale](std::string_view text, double text_size, bool bold) {
          return draw_list_text_width(text, text_size, bold, scale);
        },
        labels);
    for (std::size_t i = 0; i < layout.plots.size(); ++i) {
      labels[i] = layout.plots[i].labels;
      std::vector<chart::LegendEntry> named;
      if (layout.plots[i].legend.box.width > 0) named = chart::legend_entries(shown.plots[i]);
      entries.push_back(legend_keys(shown.plots[i], named));
      names.emplace_back();
      for (const chart::LegendEntry& entry : named) names.back().push_back(entry.name);
    }
    canvas.begin(scale);
    canvas.dim([this](int plot, int entry) {
      return hidden.contains(entries[static_cast<std::size_t>(plot)][static_cast<std::size_t>(entry)]);
    });
    chart::draw_figure(shown, layout, canvas);
    canvas.finish();
  } catch (const std::exception& error) {
    failure = sentence(error);
    layout = {};
    entries.clear();
    names.clear();
  }
  data_changed = false;
  look = now;
  laid_out = views;
}

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
  if (press != Press::pan || !moved || pressed_plot >= layout.plots.size() || !layout.plots[pressed_plot].axes) return;
  if (!layout.plots[pressed_plot].area.contains(page(pressed_at, origin))) return;
  View next = pressed_view;
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
  const auto zoom = [&](AxisView& view, const AxisMap& map, double page_at) {
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
  if (entry_at(*plot, at) || menu_rect(*plot).contains(at)) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

// Each plot can have the focus; Enter opens its menu.
void PlotView::State::offer_to_keys(ImVec2 origin) {
  for (std::size_t i = 0; i < layout.plots.size(); ++i) {
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

void PlotView::State::draw_tip(const Readings& found) const {
  const ui::Surface on(palette().raised);
  std::vector<const Reading*> rows;
  for (const Reading& row : found.rows) rows.push_back(&row);
  const std::size_t left_out = rows.size() > kMostRows ? rows.size() - kMostRows : 0;
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
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(8)});
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
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

void PlotView::State::draw_over(ImVec2 origin, bool hovered) {
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
    ui::tip("Axes, reset, save as SVG, PNG or CSV");
    return;
  }
  if (const auto entry = entry_at(*plot, at)) {
    box(entry_rect(*plot, *entry), (palette().text & ~IM_COL32_A_MASK) | (24u << IM_COL32_A_SHIFT), px(3));
    const std::string& full = names[*plot][*entry];
    const std::string about = explanation(full);
    if (!about.empty() || full != place.legend.entries[*entry].name)
      ui::tip(about.empty() ? full : full + "\n" + about);
    return;
  }
  if (!place.axes || !place.area.contains(at)) return;
  const Readings found = readings(shown.plots[*plot], place, *plot, at, 8, order);
  if (found.rows.empty()) return;
  list.PushClipRect(screen({place.area.x, place.area.y}, origin),
                    screen({place.area.right(), place.area.bottom()}, origin), true);
  const float x = std::round(screen({found.page_x, 0}, origin).x);
  list.AddRectFilled({x, screen({0, place.area.y}, origin).y}, {x + px(1), screen({0, place.area.bottom()}, origin).y},
                     (palette().muted & ~IM_COL32_A_MASK) | (150u << IM_COL32_A_SHIFT));
  for (const Reading& row : found.rows)
    if (row.placed && std::isfinite(row.at.x) && std::isfinite(row.at.y)) {
      list.AddCircleFilled(screen(row.at, origin), px(4.5f), palette().plot, 16);
      list.AddCircleFilled(screen(row.at, origin), px(3.2f), themed(row.color), 16);
    }
  list.PopClipRect();
  draw_tip(found);
}

// What a click on the legend does, for the keyboard.
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
  View& view = views[menu_plot];
  const Plot &plot = figure->plots[menu_plot], &now = shown.plots[menu_plot];
  const auto scale_item = [&](const char* item, const char* label, bool across, AxisView& axis,
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

Figure PlotView::State::seen() const {
  if (!figure) return {};
  Figure now = *figure;
  for (std::size_t i = 0; i < now.plots.size() && i < views.size(); ++i) {
    Plot& plot = now.plots[i];
    plot.x = views[i].x.applied(plot.x);
    plot.y = views[i].y.applied(plot.y);
    const auto drop = [&](auto& all, KeyKind kind) {
      std::erase_if(all, [&](const auto& series) {
        SeriesKey key{kind, series.name, SeriesRole::other, LineStyle::solid};
        if constexpr (requires { series.role; }) key.role = series.role;
        if constexpr (requires { series.style; }) key.style = series.style;
        return hidden.contains(key);
      });
    };
    drop(plot.lines, KeyKind::line);
    drop(plot.contours, KeyKind::line);
    drop(plot.bars, KeyKind::fill);
    drop(plot.scatters, KeyKind::point);
    drop(plot.rules, KeyKind::rule);
    drop(plot.bands, KeyKind::floor);
  }
  return now;
}

PlotView::PlotView(std::string name, Caption caption) : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  state_->caption = caption;
}
PlotView::~PlotView() = default;
PlotView::PlotView(PlotView&&) noexcept = default;
PlotView& PlotView::operator=(PlotView&&) noexcept = default;

void PlotView::draw(const std::shared_ptr<const Figure>& figure, ImVec2 size) {
  State& s = *state_;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  size = {std::floor(std::max(size.x > 0 ? size.x : room.x, 1.0f)),
          std::floor(std::max(size.y > 0 ? size.y : room.y, 1.0f))};
  if (s.subject != current_subject) {
    s.subject = current_subject;
    reset();
  }
  s.take(figure);
  if (!figure) {
    ImGui::Dummy(size);
    return;
  }
  ImGui::PushID(s.name.c_str());
  const ImVec2 corner = ImGui::GetCursorScreenPos(), origin = {std::floor(corner.x), std::floor(corner.y)};
  ImGui::InvisibleButton("plots", size, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  const bool visible = ImGui::IsItemVisible();
  if (visible && save_request.meant_for(hovered, size.x * size.y))
    s.saver.ask(*figure, std::exchange(save_request.extension, ""));
  s.rebuild(size);
  s.interact(origin, hovered);
  s.rebuild(size);  // what the mouse has just changed
  s.offer_to_keys(origin);
  const ImVec2 end = {origin.x + size.x, origin.y + size.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (visible) {
    list.AddRectFilled(origin, end, palette().plot);
    list.PushClipRect(origin, end, true);
    if (s.failure.empty()) {
      s.canvas.replay(list, origin);
      s.draw_over(origin, hovered);
    }
    list.PopClipRect();
  }
  if (!s.failure.empty()) {
    const ui::Surface on(palette().plot);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({origin.x + px(16), origin.y + px(16)});
    ui::wrapped(s.failure, ui::Look::bad, std::max(size.x - px(32), px(40)));
    ImGui::SetCursorScreenPos(after);
  } else if (recorder().on() && visible) {
    s.record(origin, size, hovered);
  }
  s.menu();
  s.saver.draw(s.name, [&] { return s.seen(); });
  ImGui::PopID();
}

void PlotView::set_subject(std::string subject) {
  current_subject = std::move(subject);
}

void PlotView::reset() {
  state_->views.assign(state_->views.size(), {});
  state_->hidden.clear();
  state_->data_changed = true;
}

bool PlotView::ask_to_save(std::string_view extension) {
  save_request.turn();
  if (save_request.last.largest <= 0) return false;
  save_request.extension = extension;
  return true;
}

Figure PlotView::seen() const {
  return state_->seen();
}

std::int64_t PlotView::rebuilds() const {
  return state_->rebuilds;
}
std::size_t PlotView::vertices() const {
  return state_->canvas.vertices();
}

}  // namespace pairs::gui
