#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/viewer/viewer.h"

namespace pairs::model {

// The pictures of one N side by side, as they are saved: the observed views, the truth, samples, their mean, spread and
// error. Pictures that are null are left out, their places stay.
struct ViewSheet {
  std::string title, note;
  PicturePointer truth, mean, spread, error;
  std::vector<PicturePointer> samples;  // in a square
  std::vector<PicturePointer> views;    // all that there are; the first `n` are used, the others faint
  std::int64_t n = 0;
};

// Drawn on white at `scale` pixels a point.
Picture draw_sheet(const ViewSheet& sheet, double scale);

}  // namespace pairs::model
