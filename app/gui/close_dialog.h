#pragma once

#include "app/model/studio.h"

namespace pairs::gui {

// Asks before the window closes during training: "Stop and save", "Save and keep training" in the queue, or cancel.
class CloseDialog {
 public:
  // Call when the user wants to close the window.
  void ask(const model::Studio& studio);
  // Draws the dialog while it is open. Returns true once the window may close: nothing was training, or its work is
  // saved.
  bool draw(model::Studio& studio);

 private:
  enum class State { none, asking, stopping, agreed };
  State state_ = State::none;
  bool hands_over_ = false;  // to the queue, once it is saved
};

}  // namespace pairs::gui
