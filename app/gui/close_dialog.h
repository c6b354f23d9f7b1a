#pragma once

#include "app/model/studio.h"

namespace pairs::gui {

// Asks before the window closes while a run is being trained: "Stop and save", or "Save and keep training" in the
// queue, or not.
class CloseDialog {
 public:
  // Somebody wants to close the window.
  void ask(const model::Studio& studio);
  // Draws the dialog while there is one. True once the window may close: nothing was being trained, or what was is
  // saved.
  bool draw(model::Studio& studio);

 private:
  enum class State { none, asking, stopping, agreed };
  State state_ = State::none;
  bool hands_over_ = false;  // to the queue, once it is saved
};

}  // namespace pairs::gui
