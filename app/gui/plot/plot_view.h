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

// Draws a figure in the window and lets people look closer: hovering names the nearest values, the wheel (with Ctrl
// in a panel that scrolls) zooms around the mouse (over an axis, that axis alone), a drag with the left button zooms to
// a box, with the right (or Shift) it pans, a double click resets; legend entries turn series on and off; a menu (right
// click, or the button in the corner) switches linear and logarithmic axes and saves what is seen as SVG, PNG or CSV.
// Figures are immutable: a new one is another pointer, and the view (zoom, hidden series) stays. What is drawn is kept
// as long as figure, size and view are the same.
//
// Named for tests, with `name` and the number i of a plot: "name/i" is where data are drawn, "name/i/menu" the corner
// button while the mouse is on the plot, "name/i/legend/k" an entry; "name/menu/..." log-x, log-y, reset, save-svg,
// save-png, save-csv, copy-csv; "name/save/..." path, write, cancel.
//
// The figure's source is left out of the window, which names run and data elsewhere, but not of what is saved; with
// Caption::none so is its title, where a heading stands above. A legend stands outside of the data, and is left out
// where a plot is too small for both.
enum class Caption { title, none };

class PlotView {
 public:
  explicit PlotView(std::string name, Caption caption = Caption::title);
  ~PlotView();
  PlotView(PlotView&&) noexcept;
  PlotView& operator=(PlotView&&) noexcept;

  // What the plots drawn from now on are of: one of another subject than before begins without zoom and hidden series.
  static void set_subject(std::string subject);
  // Draws into the next `size` pixels (a side of 0: all that is left). Null: nothing but the space.
  void draw(const std::shared_ptr<const Figure>& figure, ImVec2 size);
  void reset();
  // From now on a drag with the left button turns what the figure shows instead of zooming: `by` hears the pixels that
  // the mouse went, `back` a double click.
  void let_turn(std::function<void(ImVec2 pixels)> by, std::function<void()> back);
  // Lines that stand out while all others are dimmed, by the names that their own begin with: "first" means the lines
  // "first", "first, training" and "first (3 seeds)". None: every line is as usual.
  void light(std::set<std::string> names);
  // Whether light() with this name means the line.
  static bool names_line(std::string_view name, std::string_view line);
  // The line that the mouse is on, within a few pixels; "" for none.
  const std::string& line_under_mouse() const;
  // The line that was clicked since this was asked last; "" for none.
  std::string take_clicked_line();
  // Opens the dialog that saves the plot under the mouse, else the largest one drawn in the last frame; ".svg", ".png"
  // or
  // ".csv". False when no plot was drawn.
  static bool ask_to_save(std::string_view extension = ".svg");
  // The figure as it is seen now: zoomed, without hidden series. For export and tests.
  Figure seen() const;
  // How often something was laid out and drawn anew, and the vertices that each frame then copies. For tests.
  std::int64_t rebuilds() const;
  std::size_t vertices() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
