#pragma once

#include <string>

#include "tasks/catalogue.h"

namespace pairs::gui {

struct WindowOptions {
  std::string open;           // a run, a task's name, or a data file; "" = what was open last
  std::string theme;          // "dark", "light", "" = as remembered
  int width = 0, height = 0;  // 0 = as remembered
};

// Opens the window and returns when it is closed: runs in progress have been stopped and saved by then. Throws Error
// with one sentence where there is no display or no OpenGL.
void run_window(const Catalogue& tasks, const WindowOptions& options);

}  // namespace pairs::gui
