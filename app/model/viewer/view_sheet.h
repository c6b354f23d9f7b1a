#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/viewer/viewer.h"

namespace pairs::model {

// The pictures of one N side by side for saving: the observed views, the truth, samples, their mean, spread and error.
// Null pictures leave their places empty.
struct ViewSheet {
  std::string title, note;
  PicturePointer truth, mean, spread, error;
  std::vector<PicturePointer> samples;  // in a square
  std::vector<PicturePointer> views;    // all views; the first `n` are used, the others are faint
  std::int64_t n = 0;
};

// Draws the sheet on white at `scale` pixels per point.
Picture draw_sheet(const ViewSheet& sheet, double scale);

}  // namespace pairs::model
