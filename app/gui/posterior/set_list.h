#pragma once

#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Many sets of a file or folder: the column that separates them, their table next to the posterior, their forest plot
// and their export. The widgets are "posterior/sets/by", ".../row/NAME", ".../sort/K", ".../posterior", ".../forest",
// ".../export" and ".../close".
class SetList {
 public:
  // The choice of the column that separates the sets of a shown table; nothing without a spare column.
  void draw_choice(model::Posterior& posterior, const model::PosteriorScene& scene);
  // The table, if sets are open.
  void draw(model::Posterior& posterior);
  // Call once per frame: the export dialog.
  void dialog(model::Posterior& posterior);
  // The forest plot in place of the posterior, if requested; returns whether it was drawn.
  bool draw_forest(model::Posterior& posterior, ImVec2 size);
  // The minimum width of the table.
  static float width();

 private:
  void head(model::Posterior& posterior);
  void table(model::Posterior& posterior);
  void header(model::SetTable& sets);
  void row(model::Posterior& posterior, std::size_t place);
  void answer(model::Posterior& posterior);

  bool forest_ = false, saving_ = false;
  PlotView plot_{"posterior/sets/plot"};
  SaveDialog save_;
};

}  // namespace pairs::gui
