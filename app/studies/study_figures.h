#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/studies/study_drawing.h"

namespace pairs {

// A figure that a study file may name.
struct StudyFigure {
  std::string name, summary;
  StudyDrawing (*draw)(const StudyResults& results, const std::function<bool()>& keep_going);
};
// All of them, in the order of their documentation.
const std::vector<StudyFigure>& study_figures();
// Throws a usage error that names the file, and the nearest figure, where there is none of a name that it says.
void check_study_figures(const Study& study);

// The figures that the study names. Throws Error where no run that a figure needs is done; Stopped.
std::vector<StudyDrawing> draw_study(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
