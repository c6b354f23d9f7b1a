#pragma once

#include "app/gui/plot/figure_grid.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Scores of the shown run: their table and figures, and starting an evaluation.
class EvaluatePanel {
 public:
  void draw(model::Studio& studio);

 private:
  void settings(model::Evaluation& evaluation);
  void work(model::Evaluation& evaluation);
  void saving(model::Evaluation& evaluation);
  void table(const model::Scores& scores);

  FigureGrid figures_{"evaluate/"};
  SaveDialog saving_;
};

}  // namespace pairs::gui
