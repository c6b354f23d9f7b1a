#pragma once

#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Which columns of a table an observation is made of: one for each of the task's. The widgets are
// "posterior/columns/NAME" for each of the task's columns, "posterior/columns/use" and ".../cancel".
class ColumnsDialog {
 public:
  // Asks about a file; `taken`: what is used of it now, empty where it could not be read.
  void ask(model::Posterior::OtherColumns file, const std::vector<std::string>& taken);
  // Once a frame.
  void draw(model::Posterior& posterior);

 private:
  bool open_ = false;
  model::Posterior::OtherColumns file_;
  std::vector<int> chosen_;  // of file_.columns, for each that is needed
};

}  // namespace pairs::gui
