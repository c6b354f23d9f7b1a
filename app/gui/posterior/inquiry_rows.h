#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// What names an answer about the posterior that is shown.
std::string inquiry_key(const model::Posterior& posterior, const model::PosteriorScene& scene);

// Buttons for further questions about the posterior that is shown, each of which becomes its answer: the widgets are
// "posterior/local-test", "posterior/predictive" and "posterior/confidence", with ".../stop" and ".../answer".
void inquiry_rows(model::Posterior& posterior, const model::PosteriorScene& scene);

// A field for another prior, and what the posterior is under it: "posterior/prior/text", ".../show", ".../answer".
class OtherPriorRow {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typed_, asked_;
};

}  // namespace pairs::gui
