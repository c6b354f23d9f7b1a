#pragma once

#include <deque>
#include <filesystem>
#include <optional>

namespace pairs::gui {

// Notices of saved files in the window's lower right corner: the last three, each for some seconds, longer under the
// mouse. Each has "Show" and "Copy path". They never take the keyboard focus, and dialogs are above them.
class Toasts {
 public:
  void add(const std::filesystem::path& file);
  // Call once per frame; drawn `above` pixels from the bottom of the window. Returns a file to show in the file
  // manager. Widgets: "saved/0", which is the newest, ".../show", ".../copy", ".../close".
  std::optional<std::filesystem::path> draw(float above);
  // Whether there is any, so that frames must continue until it disappears.
  bool shown() const { return !toasts_.empty(); }

 private:
  struct Toast {
    std::filesystem::path file;
    double left = 0;  // seconds
  };
  std::deque<Toast> toasts_;  // newest first
};

}  // namespace pairs::gui
