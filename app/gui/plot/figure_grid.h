#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/model/hub/scores.h"

namespace pairs::gui {

// Figures with a sentence below each in one to three columns, as the width allows; those of several plots take a whole
// row.
class FigureGrid {
 public:
  // `prefix` begins the names of the plots: "evaluate/" makes "evaluate/nll".
  explicit FigureGrid(std::string prefix) : prefix_(std::move(prefix)) {}
  void draw(const std::vector<model::ShownFigure>& figures);

 private:
  std::string prefix_;
  std::map<std::string, PlotView> views_;
};

}  // namespace pairs::gui
