#pragma once

#include "app/model/studio.h"
#include "core/base/threads/clock.h"

namespace pairs::gui {

// The line at the bottom: current work, device, threads, memory, frames per second, messages.
class StatusBar {
 public:
  void draw(model::Studio& studio, double fps);

 private:
  Stopwatch since_;
  bool measured_ = false;
  double megabytes_ = 0;
};

}  // namespace pairs::gui
