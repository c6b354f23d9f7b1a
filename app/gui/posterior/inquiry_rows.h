#pragma once

#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Buttons for further analyses of the shown posterior, each in its own line with its progress; and their results, which
// come last, so that nothing moves when one arrives. The widgets are "posterior/local-test", "posterior/predictive" and
// "posterior/confidence", with ".../stop" and ".../answer", and "posterior/predictive/another" for another seed.
void inquiry_buttons(model::Posterior& posterior, const model::PosteriorScene& scene);
void inquiry_answers(model::Posterior& posterior, const model::PosteriorScene& scene);

// A field for another prior, and the posterior under it: "posterior/prior/text", ".../show", ".../answer".
class OtherPriorRow {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  std::string typed_, taken_;  // taken: the prior that was asked for when typed_ was set from it
};

}  // namespace pairs::gui
