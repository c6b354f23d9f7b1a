#pragma once

#include <memory>

#include "app/model/evaluate/evaluation.h"
#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The Posterior tab of views of a scene: observed views, the true scene and its cameras, samples of what the target
// camera sees, and the scene's settings.
class ViewerPanel {
 public:
  ViewerPanel();
  ~ViewerPanel();
  // Scores are those of `evaluation`, where it is of the same run. `run`: what is open, "" for nothing.
  void draw(model::Viewer& viewer, const model::Evaluation& evaluation, const std::string& run);
  // Opens the dialog that saves what is shown.
  void ask_to_save(const model::Viewer& viewer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
