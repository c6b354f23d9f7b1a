#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// Training cost over that of PAIRS, stage 2 left out or counted, against the score's gap to PAIRS in units of what N =
// 1 is worse (paper, "Pareto"); runs that are only planned are hollow. Throws Error where a cost is not known, Stopped.
StudyDrawing draw_pareto(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
