#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Quantities that follow from the targets, with mean, sd and interval, and a field in which one more is written. The
// widgets are "posterior/derived/text", ".../add", ".../1/remove" and so on.
class DerivedList {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown, const model::PosteriorScene& scene);

 private:
  std::string typed_, refused_;
};

}  // namespace pairs::gui
