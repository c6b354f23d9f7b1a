#pragma once

#include <memory>

#include "app/model/hub/scores.h"
#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The Posterior tab of views of a scene: observed views, the true scene and its cameras, samples of what the target
// camera sees, and the scene's settings.
class ViewerPanel {
 public:
  ViewerPanel();
  ~ViewerPanel();
  // `scores`: of the viewer's run, null without; `unscored`: it was never evaluated. `run`: what is open, "" for
  // nothing.
  void draw(model::Viewer& viewer, const model::Scores* scores, bool unscored, const std::string& run);
  // Opens the dialog that saves what is shown.
  void ask_to_save(const model::Viewer& viewer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
