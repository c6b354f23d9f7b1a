#pragma once

#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks for the columns of a table that form an observation, one for each of the task's. The widgets are
// "posterior/columns/NAME" for each of the task's columns, "posterior/columns/use" and ".../cancel".
class ColumnsDialog {
 public:
  // Asks about a file; `taken`: its columns in use, empty if it was unreadable.
  void ask(model::PosteriorSet::OtherColumns file, const std::vector<std::string>& taken);
  // Call once per frame.
  void draw(model::Posterior& posterior);

 private:
  bool open_ = false;
  model::PosteriorSet::OtherColumns file_;
  std::vector<int> chosen_;  // index into file_.columns for each needed column
};

}  // namespace pairs::gui
