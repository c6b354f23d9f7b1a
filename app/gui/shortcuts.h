#pragma once

#include "app/model/shortcuts.h"

namespace pairs::gui {

// The code of a key, as the platform tells it (app/gui/platform/input.h).
int code_of(model::Key key);

// The list of keys (F1).
class ShortcutsDialog {
 public:
  void open() { open_ = true; }
  bool is_open() const { return open_; }
  bool draw();  // whether the tour was asked for

 private:
  bool open_ = false;
};

}  // namespace pairs::gui
