#pragma once

#include <memory>

#include "app/model/hub/scores.h"
#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The Posterior tab for views of a scene: observed views, the true scene and its cameras, samples of the target
// camera's image, and the scene's settings.
class ViewerPanel {
 public:
  ViewerPanel();
  ~ViewerPanel();
  // `scores`: of the viewer's run, null without; `unscored`: it was never evaluated. `run`: the open run, or "".
  void draw(model::Viewer& viewer, const model::Scores* scores, bool unscored, const std::string& run);
  // Opens the export dialog.
  void ask_to_save(const model::Viewer& viewer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
