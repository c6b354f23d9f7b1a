#pragma once

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks whether a table with a bad row holds many sets; then only the sets with a fault are lost.
class BrokenTableDialog {
 public:
  void ask(model::PosteriorSet::BrokenTable table);
  void draw(model::Posterior& posterior);

 private:
  bool open_ = false;
  model::PosteriorSet::BrokenTable table_;
  int chosen_ = 0;
};

}  // namespace pairs::gui
