#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/platform/theme.h"
#include "app/gui/plot/draw_list_canvas.h"
#include "app/gui/plot/figure_saver.h"
#include "app/gui/plot/plot_view.h"
#include "app/gui/plot/zoom.h"
#include "core/report/layout.h"
#include "core/report/readings.h"

namespace pairs::gui {

using chart::AxisMap;
using chart::LineOrder;
using chart::Point;
using chart::Reading;
using chart::Readings;
using chart::Rect;
using chart::SeriesKey;

enum class Press { none, box, pan, turn, legend, menu };

inline constexpr float kDrag = 4;               // pixels of movement that make a click a drag
inline constexpr float kPixelsPerPoint = 1.5f;  // at scale 1: tick labels of 12 px

// The state of a PlotView between frames: the drawing (plot_view.cpp), the mouse interaction (plot_mouse.cpp), and the
// overlay (plot_overlay.cpp).
struct PlotView::State {
  // Everything that determines the drawing, except the views of the plots.
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
  std::vector<Zoom> views;
  FigureSaver saver;
  std::function<void(ImVec2)> turn_by;
  std::function<void()> turn_back;

  // The figure's data, without hidden series, in the axes and sizes of the window.
  Figure shown;
  chart::FigureLayout layout;
  std::vector<std::vector<SeriesKey>> entries;  // of each plot's legend
  std::vector<std::vector<std::string>> names;  // full names of these
  std::string failure;
  DrawListCanvas canvas;
  Look look;
  std::vector<Zoom> laid_out;
  std::vector<chart::LabelRoom> labels;  // of the plots so far
  bool data_changed = true;
  std::int64_t rebuilds = 0;
  LineOrder order;

  // The highlighted lines, the line under the mouse, and the clicked one.
  std::set<std::string> lit;
  std::string near_line, pressed_line, clicked_line;

  // The state of the mouse.
  Press press = Press::none;
  bool moved = false;
  std::size_t pressed_plot = 0, pressed_entry = 0, menu_plot = 0;
  ImVec2 pressed_at;
  Zoom pressed_view;
  AxisMap pressed_x, pressed_y;
  bool right_button = false;
  std::optional<ImVec2> menu_at;  // where the keyboard has opened it

  double pixels() const { return kPixelsPerPoint * gui::scale(); }
  Point page(ImVec2 at, ImVec2 origin) const { return {(at.x - origin.x) / pixels(), (at.y - origin.y) / pixels()}; }
  ImVec2 screen(Point at, ImVec2 origin) const {
    return {origin.x + static_cast<float>(at.x * pixels()), origin.y + static_cast<float>(at.y * pixels())};
  }

  void take(const std::shared_ptr<const Figure>& next);
  void choose_grid(ImVec2 size);
  void share_axes();
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
  void draw_lit(ImVec2 origin);
  void draw_over(ImVec2 origin, bool hovered);
  void offer_to_keys(ImVec2 origin);
  // `min` to `max`: the area that it describes and must not cover.
  void draw_tip(const Readings& found, ImVec2 min, ImVec2 max, bool turned) const;
  void menu();
  void series_items();
  void record(ImVec2 origin, ImVec2 size, bool hovered) const;
  Figure seen() const;
};

}  // namespace pairs::gui
