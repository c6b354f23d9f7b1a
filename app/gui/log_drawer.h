#pragma once

#include <cstdint>
#include <string>

#include "app/model/studio.h"

namespace pairs::gui {

// The log, newest at the bottom; follows the newest message until the user scrolls up.
class LogDrawer {
 public:
  void draw(model::Studio& studio);

 private:
  void toolbar(model::Studio& studio);
  void lines(model::Messages& messages);

  std::string filter_;
  model::Level least_ = model::Level::info;
  std::size_t shown_ = 0;
  double newest_ = -1;
  bool follow_ = true;
};

}  // namespace pairs::gui
