#pragma once

#include "app/gui/compare/run_table_panel.h"
#include "app/gui/plot/figure_grid.h"
#include "app/model/compare/comparison.h"

namespace pairs::gui {

// The table of runs, and below it the comparison of the ticked ones: figures, paired differences, settings.
class ComparePanel {
 public:
  void draw(const RunTablePanel::Shown& shown, const std::string& task);

 private:
  void score_plot(model::RunBoard& board);
  void results(model::RunBoard& board, model::Comparison& comparison, const std::string& task);
  void losses(model::Comparison& comparison, const model::Comparison::View& view);
  void choose(model::RunBoard& board, const std::vector<std::string>& runs);
  void link(model::RunBoard& board, const model::Comparison::View& view);
  void runs(model::Comparison& comparison);
  void actions(model::Comparison& comparison, const std::string& task);
  void differences(model::Comparison& comparison, const model::Comparison::View& view);
  void settings(const model::Comparison::View& view);

  RunTablePanel table_;
  PlotView plot_{"compare/plot"};
  FigureGrid figures_{"compare/"}, losses_{"compare/"};
  bool only_differences_ = true;
};

}  // namespace pairs::gui
