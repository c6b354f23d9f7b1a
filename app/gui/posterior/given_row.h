#pragma once

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// What is given of the observed set beside its observations, a slider each, of a file's set, too; nothing where there
// is none.
void draw_given(model::Posterior& posterior, const model::PosteriorScene& scene);

}  // namespace pairs::gui
