#pragma once

#include <string>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/save_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Notes on the session, the run and the shown data, next to the tabs; and the dialogs that save, open and pack
// sessions.
class NotesPanel {
 public:
  static float width();

  void draw(model::Studio& studio);
  // Call once per frame, whether the panel is shown or not.
  void dialogs(model::Studio& studio);
  void ask_to_save(const model::Studio& studio);
  void ask_to_open() { open_.ask(); }
  void ask_to_pack(const model::Studio& studio);
  // Call before the window closes: stores the note that is being typed.
  void keep(model::Studio& studio);

 private:
  void draw_file(model::Studio& studio);
  void draw_run(model::Studio& studio);
  void draw_data(model::Studio& studio);
  void draw_question(model::Studio& studio);

  SaveDialog save_, pack_;
  PathDialog open_;
  std::string run_, run_note_;  // the run whose note is being typed, and the note
  bool typed_ = false;
};

}  // namespace pairs::gui
