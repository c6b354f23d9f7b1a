#pragma once

#include <functional>
#include <string_view>

#include "app/gui/platform/input.h"
#include "app/gui/platform/recorder.h"
#include "app/gui/platform/theme.h"

namespace pairs::gui {

// A Dear ImGui context without a renderer: panels are laid out and answer to input as in a window, nothing is drawn.
// One at a time.
class NullScreen {
 public:
  NullScreen(float width, float height, ThemeKind theme = ThemeKind::dark, float scale = 1);
  ~NullScreen();
  NullScreen(const NullScreen&) = delete;
  NullScreen& operator=(const NullScreen&) = delete;

  Input input;
  // One frame: takes input, calls `draw` between NewFrame and Render. `seconds`: since the last one.
  void frame(const std::function<void()>& draw, double seconds = 1.0 / 60);
  void resize(float width, float height);
  void restyle(ThemeKind theme, float scale);
};

}  // namespace pairs::gui
