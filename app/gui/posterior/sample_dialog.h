#pragma once

#include <string>

#include "app/gui/widgets/file_browser.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The dialog that saves posterior samples of the shown run, set and N: asks for a path, a number and a seed, draws the
// samples in the background, and reports a failure in a sentence.
class SampleDialog {
 public:
  void ask(const model::Posterior& posterior);
  // Call once per frame; the widgets are "posterior/save/path", ".../count", ".../seed", ".../write" and ".../cancel".
  void draw(model::Posterior& posterior);

 private:
  void look();
  void answer(model::Posterior& posterior);
  void write(model::Posterior& posterior);

  bool open_ = false, shown_ = false, drawing_ = false;
  std::string count_ = "1,000", seed_ = "1", failure_;
  bool exists_ = false;  // whether the path exists, as of the last look()
  FileBrowser browser_;
};

}  // namespace pairs::gui
