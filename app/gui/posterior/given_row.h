#pragma once

#include <map>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The conditions of the observed set, also for a file: each has a slider, logarithmic if training spans decades, and a
// field. Draws nothing without conditions. The widgets are "posterior/given/NAME" and ".../text".
class GivenRows {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typing_;  // the condition that is being typed
  std::map<std::string, std::string> typed_;
};

}  // namespace pairs::gui
