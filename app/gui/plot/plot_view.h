#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/report/figure.h"

namespace pairs::gui {

// Draws a figure in the window for closer inspection: hovering names the nearest values; the wheel (with Ctrl in a
// panel that scrolls) zooms around the mouse (over an axis, only that axis); dragging with the left button zooms to a
// box, with the right (or Shift) it pans; a double click resets; legend entries switch series on and off; a menu (right
// click, or the button in the corner) switches linear and logarithmic axes and saves the visible part as SVG, PNG or
// CSV. Figures are immutable: a new one is another pointer, and the view (zoom, hidden series) stays. The drawing is
// reused while figure, size and view are the same.
//
// Names for tests, with `name` and the number i of a plot: "name/i" is the data area, "name/i/menu" the corner button
// while the mouse is on the plot, "name/i/legend/k" an entry; "name/menu/..." log-x, log-y, reset, save-svg, save-png,
// save-csv, copy-csv; "name/save/..." path, write, cancel.
//
// The window omits the figure's source, since it names run and data elsewhere, but saved files contain it;
// Caption::none also omits the title, below a heading. A legend is placed outside the data, and omitted if a plot is
// too small for both.
enum class Caption { title, none };

class PlotView {
 public:
  explicit PlotView(std::string name, Caption caption = Caption::title);
  ~PlotView();
  PlotView(PlotView&&) noexcept;
  PlotView& operator=(PlotView&&) noexcept;

  // Sets the subject of the plots drawn from now on: a change of subject resets zoom and hidden series.
  static void set_subject(std::string subject);
  // Draws into the next `size` pixels (a side of 0: all that is left). Null: only the space.
  void draw(const std::shared_ptr<const Figure>& figure, ImVec2 size);
  void reset();
  // From now on, dragging with the left button turns the figure's content instead of zooming: `by` receives the
  // movement in pixels, `back` a double click.
  void let_turn(std::function<void(ImVec2 pixels)> by, std::function<void()> back);
  // Highlights lines and dims all others, by the beginnings of their names: "first" means the lines "first", "first,
  // training" and "first (3 seeds)". None: draws every line normally.
  void light(std::set<std::string> names);
  // Whether light() with this name highlights the line.
  static bool names_line(std::string_view name, std::string_view line);
  // The line under the mouse, within a few pixels; "" for none.
  const std::string& line_under_mouse() const;
  // The line clicked since the last call; "" for none.
  std::string take_clicked_line();
  // Opens the dialog that saves the plot under the mouse, else the largest one of the last frame; ".svg", ".png" or
  // ".csv". Returns false if no plot was drawn.
  static bool ask_to_save(std::string_view extension = ".svg");
  // The figure as currently visible: zoomed, without hidden series. For export and tests.
  Figure seen() const;
  // How often a figure was laid out and drawn anew, and the number of vertices that each frame copies. For tests.
  std::int64_t rebuilds() const;
  std::size_t vertices() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
