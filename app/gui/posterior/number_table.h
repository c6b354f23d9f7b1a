#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The numbers of the shown posteriors, one table per target with one row per posterior, and below it the choice of
// intervals ("posterior/interval").
class NumberTable {
 public:
  static constexpr std::size_t kColumnCount = 5;

  void draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown, const model::PosteriorScene& scene);
  // Columns and rows keep their positions, so that nothing moves while N changes, until this is called.
  void forget_places();

 private:
  using Widths = std::array<float, kColumnCount>;
  std::vector<Widths> widths_;   // for each target
  std::vector<float> row_ends_;  // for each target
  float height_ = 0;
  bool has_exact_ = false;
};

}  // namespace pairs::gui
