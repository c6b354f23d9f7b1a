#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/model/studio.h"

namespace pairs::gui {

class Shell;

// The window's panels drawn with OpenGL without a display, for pictures and tests. One at a time. Throws Error if EGL
// cannot draw.
class OffscreenWindow {
 public:
  OffscreenWindow(const Catalog& tasks, const model::Settings& settings, int width, int height, float scale = 1);
  ~OffscreenWindow();
  OffscreenWindow(const OffscreenWindow&) = delete;
  OffscreenWindow& operator=(const OffscreenWindow&) = delete;

  model::Studio& studio();
  void frame();
  // Draws frames until all work has ended; false if that takes more than `seconds`.
  bool settle(double seconds);
  // The last frame: RGB, row by row from the top.
  std::vector<std::uint8_t> pixels();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::gui
