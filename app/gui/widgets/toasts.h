#pragma once

#include <deque>
#include <filesystem>
#include <optional>

namespace pairs::gui {

// What was saved and where, in the window's lower right corner: the last three, each for some seconds, longer under
// the mouse. Each has "Show" and "Copy path". They never take the keyboard, and a dialog is above them.
class Toasts {
 public:
  void add(const std::filesystem::path& file);
  // Once a frame, `above` pixels from the bottom of the window. A file that is to be shown in the file manager.
  // Widgets: "saved/0", which is the newest, ".../show", ".../copy", ".../close".
  std::optional<std::filesystem::path> draw(float above);
  // Whether there is one, so that frames must go on until it is over.
  bool shown() const { return !toasts_.empty(); }

 private:
  struct Toast {
    std::filesystem::path file;
    double left = 0;  // seconds
  };
  std::deque<Toast> toasts_;  // the newest first
};

}  // namespace pairs::gui
