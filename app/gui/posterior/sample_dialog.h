#pragma once

#include <string>

#include "app/gui/widgets/file_browser.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The dialog that saves posterior samples of the shown run, set and N: asks for a path, how many and a seed, has them
// drawn in the background, and says in a sentence when that failed.
class SampleDialog {
 public:
  void ask(const model::Posterior& posterior);
  // Once a frame; the widgets are "posterior/save/path", ".../count", ".../seed", ".../write" and ".../cancel".
  void draw(model::Posterior& posterior);

 private:
  void look();
  void answer(model::Posterior& posterior);
  void write(model::Posterior& posterior);

  bool open_ = false, shown_ = false, drawing_ = false;
  std::string count_ = "1,000", seed_ = "1", failure_;
  bool exists_ = false;  // a file of this path, as of the last look()
  FileBrowser browser_;
};

}  // namespace pairs::gui
