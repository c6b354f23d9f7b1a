#pragma once

#include <memory>

#include "app/model/studio.h"

namespace pairs::gui {

// The Posterior tab of views of a scene: observed views, the true scene and its cameras, samples of what the target
// camera sees, and the scene's settings.
class ViewerPanel {
 public:
  ViewerPanel();
  ~ViewerPanel();
  void draw(model::Studio& studio);
  // Opens the dialog that saves what is shown.
  void ask_to_save(const model::Studio& studio);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
