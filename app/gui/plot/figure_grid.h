#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/model/hub/scores.h"

namespace pairs::gui {

// Figures with a sentence below each in one to three columns, as the width allows; figures of several plots take a
// whole row.
class FigureGrid {
 public:
  // `prefix` precedes the names of the plots: "evaluate/" makes "evaluate/nll".
  explicit FigureGrid(std::string prefix) : prefix_(std::move(prefix)) {}
  void draw(const std::vector<model::ShownFigure>& figures);
  // For all figures: the highlighted lines, the line under the mouse, and a clicked one (PlotView).
  void light(std::set<std::string> names) { lit_ = std::move(names); }
  const std::string& line_under_mouse() const { return hovered_; }
  std::string take_clicked_line() { return std::exchange(clicked_, ""); }

 private:
  std::string prefix_;
  std::map<std::string, PlotView> views_;
  std::set<std::string> lit_;
  std::string hovered_, clicked_;
};

}  // namespace pairs::gui
