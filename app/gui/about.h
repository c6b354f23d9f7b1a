#pragma once

#include <memory>

#include "app/model/about.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Versions, devices and libraries.
class AboutDialog {
 public:
  void open() { open_ = true; }
  bool is_open() const { return open_; }
  void draw(model::Studio& studio);

 private:
  bool open_ = false;
  std::unique_ptr<model::Devices> devices_;
};

}  // namespace pairs::gui
