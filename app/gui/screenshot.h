#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tasks/catalog.h"

namespace pairs::gui {

struct ScreenshotOptions {
  std::string task, tab, run, theme = "dark";
  std::vector<std::string> compare;  // runs on the Compare tab
  std::string file, group;           // of the posterior's set, or of many sets by a column; "" = simulated
  std::int64_t n = 0;                // of the posterior; 0 = the largest
  int width = 1440, height = 900;
  double scale = 1;
  double patience = 60;  // seconds to wait for background work
  std::string session;   // a session to open, with its notes; "": none
  bool tour = false;     // shows the tour of a first start
  std::string items;     // a JSON file for the positions of all widgets by name; "" = none
};

// Draws the window's panels without a display, once all work has ended, and writes them as PNG; for a file that ends in
// .webp, an animation in which N grows from 1 to `n`. Throws Error, also when `patience` is exceeded.
void write_screenshot(const Catalog& tasks, const std::filesystem::path& file, const ScreenshotOptions& options);

}  // namespace pairs::gui
