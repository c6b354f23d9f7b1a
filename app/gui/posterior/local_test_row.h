#pragma once

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks for a local test of the posterior that is shown, and tells what it says: the widgets are
// "posterior/local-test", ".../stop" and ".../answer".
void local_test_row(model::Posterior& posterior, const model::PosteriorScene& scene);

}  // namespace pairs::gui
