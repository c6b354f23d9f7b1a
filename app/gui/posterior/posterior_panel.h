#pragma once

#include <memory>

#include "app/model/studio.h"

namespace pairs::gui {

// The Posterior tab: the slider of N above the posteriors, their numbers, the observed set and checks.
class PosteriorPanel {
 public:
  PosteriorPanel();
  ~PosteriorPanel();
  void draw(model::Studio& studio);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
