#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/platform/gl.h"

namespace pairs::gui {

// An OpenGL context without a screen or window system (EGL, surfaceless) that draws into a picture. Throws Error with
// one sentence if there is none.
class Offscreen {
 public:
  Offscreen(int width, int height);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  const GlFunctions& gl() const { return gl_; }
  int width() const { return width_; }
  int height() const { return height_; }
  // RGB, row by row from the top.
  std::vector<std::uint8_t> pixels() const;

 private:
  SharedLibrary egl_;
  void *display_ = nullptr, *context_ = nullptr;
  int width_, height_;
  unsigned picture_ = 0, frame_ = 0;
  GlFunctions gl_{};
};

}  // namespace pairs::gui
