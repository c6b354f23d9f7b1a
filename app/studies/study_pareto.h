#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// Training cost relative to PAIRS, with and without stage 2, against the score's gap to PAIRS in units of the deficit
// of N = 1 (paper, "Pareto"); runs that are only planned are hollow. Throws Error if a cost is unknown, Stopped.
StudyDrawing draw_pareto(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
