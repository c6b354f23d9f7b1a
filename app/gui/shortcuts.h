#pragma once

namespace pairs::gui {

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
