#pragma once

#include <string>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Notes on the session, the run and the data that are shown, beside the tabs; and the dialogs that save, open and pack
// sessions.
class NotesPanel {
 public:
  static float width();

  void draw(model::Studio& studio);
  // Once a frame, whether the panel is shown or not.
  void dialogs(model::Studio& studio);
  void ask_to_save(const model::Studio& studio);
  void ask_to_open() { open_.ask(); }
  void ask_to_pack(const model::Studio& studio);
  // Before the window closes: what is being typed of a run counts.
  void keep(model::Studio& studio);

 private:
  void draw_file(model::Studio& studio);
  void draw_run(model::Studio& studio);
  void draw_data(model::Studio& studio);
  void draw_question(model::Studio& studio);

  SaveDialog save_, pack_;
  PathDialog open_;
  std::string run_, run_note_;  // that is being typed: of this run
  bool typed_ = false;
};

}  // namespace pairs::gui
