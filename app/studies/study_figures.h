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
// All figures, in the order of their documentation.
const std::vector<StudyFigure>& study_figures();
// Throws a usage error with the file and the most similar figure for an unknown name.
void check_study_figures(const Study& study);

// Draws the figures of the study. Throws Error if no run that a figure needs is done; Stopped.
std::vector<StudyDrawing> draw_study(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
