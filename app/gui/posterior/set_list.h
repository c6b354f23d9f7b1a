#pragma once

#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Many sets of a file or folder: which column tells them apart, their table beside the posterior, their forest plot and
// their export. The widgets are "posterior/sets/by", ".../row/NAME", ".../sort/K", ".../posterior", ".../forest",
// ".../export" and ".../close".
class SetList {
 public:
  // The choice of the column that tells the sets of a shown table apart; nothing where it has no column to spare.
  void draw_choice(model::Posterior& posterior, const model::PosteriorScene& scene);
  // The table, where sets are open.
  void draw(model::Posterior& posterior);
  // Once a frame: where to export.
  void dialog(model::Posterior& posterior);
  // The forest plot in the place of the posterior, where it is asked for; whether it was drawn.
  bool draw_forest(model::Posterior& posterior, ImVec2 size);
  // The least width that the table has room in.
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
