#pragma once

#include <cstdint>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The choice of N observations of a file: the first, or a random subset by a seed. The widgets are
// "posterior/subset/first", ".../random", ".../seed" and ".../again".
class SubsetRow {
 public:
  void draw(model::Posterior& posterior, const model::PosteriorScene& scene);

 private:
  // The treatment of observations with a missing value: "posterior/missing/refuse" and ".../drop".
  void draw_missing(model::Posterior& posterior, const model::PosteriorScene& scene);

  std::uint64_t seed_ = 1;  // of the last random subset
  std::string typed_;
  bool typing_ = false;
};

}  // namespace pairs::gui
