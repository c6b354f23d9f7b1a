#pragma once

#include <string>

#include "app/gui/widgets/save_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks where a report on the shown set, run and N goes, which is then written in the background.
class ReportDialog {
 public:
  // Why there can be none now; "" where there can.
  static std::string blocked(const model::Posterior& posterior);
  void ask(const model::Posterior& posterior);
  // Once a frame; the widgets are "posterior/report/path", ".../write" and ".../cancel".
  void draw(model::Posterior& posterior);
  // What a report that is being written does, with a button that stops it; nothing at rest.
  static void draw_progress(model::Posterior& posterior);

 private:
  SaveDialog save_;
};

}  // namespace pairs::gui
