#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// Scores of a study against N and against varied settings: NLL and RMAE (for images, the squared error), the gap to the
// exact posterior, ACAUC with its noise floor, differences to PAIRS on the same test sets (paired, with errors), and
// scores against a varied number. Throw Error if no run is done; a usage error if a study varies no number.
StudyDrawing draw_scores(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_differences(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_gap(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_acauc(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_sweep(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
