#pragma once

#include "app/model/shortcuts.h"

namespace pairs::gui {

// The platform's code of a key (app/gui/platform/input.h).
int code_of(model::Key key);

// The list of keys (F1).
class ShortcutsDialog {
 public:
  void open() { open_ = true; }
  bool is_open() const { return open_; }
  bool draw();  // returns whether the tour was requested

 private:
  bool open_ = false;
};

}  // namespace pairs::gui
