#pragma once

#include <map>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// What is given of the observed set beside its observations, of a file's set, too: of each a slider, logarithmic where
// training saw decades of it, and a field to type it in; nothing where there is none. The widgets are
// "posterior/given/NAME" and ".../text".
class GivenRows {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typing_;  // of which a value is being typed
  std::map<std::string, std::string> typed_;
};

}  // namespace pairs::gui
