#pragma once

#include <string>

#include "tasks/catalog.h"

namespace pairs::gui {

struct WindowOptions {
  std::string open;           // a run, a task's name, or a data file; "" = the last state
  std::string theme;          // "dark", "light", "" = the last one
  int width = 0, height = 0;  // 0 = the last size
};

// Opens the window and returns when it is closed; running training has then been stopped and saved. Throws Error with
// one sentence if there is no display or no OpenGL.
void run_window(const Catalog& tasks, const WindowOptions& options);

}  // namespace pairs::gui
