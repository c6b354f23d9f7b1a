#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Quantities derived from the targets, with mean, sd and interval, and a field for a new one. The widgets are
// "posterior/derived/text", ".../add", ".../1/remove" and so on.
class DerivedList {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown, const model::PosteriorScene& scene);

 private:
  std::string typed_, refused_;
};

}  // namespace pairs::gui
