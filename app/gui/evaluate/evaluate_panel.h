#pragma once

#include "app/gui/plot/figure_grid.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/evaluate/evaluation.h"

namespace pairs::gui {

// Scores of the shown run: their table and figures, and the start of an evaluation.
class EvaluatePanel {
 public:
  // `run`: the open run, or "". `data_shown`: a banner already reports that its data differ.
  void draw(model::Evaluation& evaluation, const std::string& run, bool data_shown);

 private:
  void settings(model::Evaluation& evaluation);
  void work(model::Evaluation& evaluation);
  void saving(model::Evaluation& evaluation);
  void table(const model::Scores& scores);

  FigureGrid figures_{"evaluate/"};
  SaveDialog saving_;
};

}  // namespace pairs::gui
