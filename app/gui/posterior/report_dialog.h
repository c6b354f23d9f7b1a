#pragma once

#include <string>

#include "app/gui/widgets/save_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks for the path of a report on the shown set, run and N, which is then written in the background.
class ReportDialog {
 public:
  // Why a report is not possible now; "" if it is.
  static std::string blocked(const model::Posterior& posterior);
  void ask(const model::Posterior& posterior);
  // Call once per frame; the widgets are "posterior/report/path", ".../write" and ".../cancel".
  void draw(model::Posterior& posterior);
  // The progress of the report being written, with a stop button; nothing at rest.
  static void draw_progress(model::Posterior& posterior);

 private:
  SaveDialog save_;
};

}  // namespace pairs::gui
