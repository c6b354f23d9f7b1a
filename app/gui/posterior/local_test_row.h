#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks for a local test of the posterior that is shown, and tells what it says: the widgets are
// "posterior/local-test", ".../stop" and ".../answer".
void local_test_row(model::Posterior& posterior, const model::PosteriorScene& scene);

// What names an answer about the posterior that is shown.
std::string inquiry_key(const model::Posterior& posterior, const model::PosteriorScene& scene);

// Asks whether the set looks like sets of the model, and tells what it says: the widgets are "posterior/predictive",
// ".../stop" and ".../answer".
void predictive_row(model::Posterior& posterior, const model::PosteriorScene& scene);

// A field for another prior, and what the posterior is under it: "posterior/prior/text", ".../show", ".../answer".
class OtherPriorRow {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typed_, asked_;
};

}  // namespace pairs::gui
