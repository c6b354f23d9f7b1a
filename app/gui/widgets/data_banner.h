#pragma once

#include "app/gui/widgets/path_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// Says above a panel when the shown weights learnt from other data than are in use, and asks for the folder of real
// data.
class DataBanner {
 public:
  void draw(model::Studio& studio);

 private:
  void dialog(model::Studio& studio);

  PathDialog path_;
  bool waits_ = false;  // for the folder to be looked into
};

// The offer to use real data, or to do without it again, where the task can.
void offer_data(const model::Hub& hub, model::DataFolder& data, model::Navigation& go, const std::string& task);

}  // namespace pairs::gui
