#pragma once

#include "app/gui/widgets/path_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Warns above a panel if the shown weights were trained on other data than now in use, and asks for the folder of real
// data.
class DataBanner {
 public:
  void draw(model::Studio& studio);

 private:
  void dialog(model::Studio& studio);

  PathDialog path_;
  bool waits_ = false;  // until the folder is checked
};

// The offer to use real data, or to stop using it, if the task can.
void offer_data(const model::Hub& hub, model::DataFolder& data, model::Navigation& go, const std::string& task);

}  // namespace pairs::gui
