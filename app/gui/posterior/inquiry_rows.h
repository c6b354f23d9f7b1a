#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Buttons for further questions about the posterior that is shown, each in a line of its own that tells how far it is;
// and their answers, which stand last of all, so that nothing moves when one comes. The widgets are
// "posterior/local-test", "posterior/predictive" and "posterior/confidence", with ".../stop" and ".../answer", and
// "posterior/predictive/another" for another seed.
void inquiry_buttons(model::Posterior& posterior, const model::PosteriorScene& scene);
void inquiry_answers(model::Posterior& posterior, const model::PosteriorScene& scene);

// A field for another prior, and what the posterior is under it: "posterior/prior/text", ".../show", ".../answer".
class OtherPriorRow {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typed_, taken_;  // taken: the prior that was asked for when typed_ was set from it
};

}  // namespace pairs::gui
