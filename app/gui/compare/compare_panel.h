#pragma once

#include "app/gui/plot/figure_grid.h"
#include "app/model/compare/comparison.h"

namespace pairs::gui {

// Runs of one task side by side: figures, paired differences, settings.
class ComparePanel {
 public:
  void draw(model::Comparison& comparison, const std::string& task);

 private:
  void runs(model::Comparison& comparison);
  void actions(model::Comparison& comparison, const std::string& task);
  void differences(model::Comparison& comparison, const model::Comparison::View& view);
  void settings(const model::Comparison::View& view);

  FigureGrid figures_{"compare/"};
  bool only_differences_ = true;
};

}  // namespace pairs::gui
