#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The numbers of the shown posteriors, a table for each target with a row for each of them, and below it which
// intervals these tell ("posterior/interval").
class NumberTable {
 public:
  static constexpr std::size_t kColumnCount = 5;

  void draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown, const model::PosteriorScene& scene);
  // Columns and rows keep the places that they have had, so that nothing moves while N does, until this is called.
  void forget_places();

 private:
  using Widths = std::array<float, kColumnCount>;
  std::vector<Widths> widths_;   // of each target
  std::vector<float> row_ends_;  // of each target
  float height_ = 0;
  bool has_exact_ = false;
};

}  // namespace pairs::gui
