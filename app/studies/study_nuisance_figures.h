#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// The posterior's width, and its mean and sd, against the nuisance, compared with the references, for tasks with one
// target and one nuisance (paper, "Bump hunt"). Throw a usage error if the study has no such finished run; Stopped.
StudyDrawing draw_width(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_location(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
