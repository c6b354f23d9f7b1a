#include "app/gui/posterior/given_row.h"

#include <algorithm>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void draw_given(model::Posterior& posterior, const model::PosteriorScene& scene) {
  float column = 0;
  for (const model::SetGiven& one : scene.given) column = std::max(column, ui::text_size(one.label).x);
  for (std::size_t k = 0; k < scene.given.size(); ++k) {
    const model::SetGiven& one = scene.given[k];
    const std::string about = one.label +
                              ". Given: known of the set beside its observations; the posterior depends on it. A file "
                              "tells it by a column of its name, or it is set here";
    ui::label(one.label, about, (column + px(16)) / scale());
    double value = one.value;
    if (ui::slider("posterior/given/" + one.name, value, std::min(one.low, one.value), std::max(one.high, one.value),
                   "%.4g", about))
      posterior.set_given(k, value);
  }
}

}  // namespace pairs::gui
