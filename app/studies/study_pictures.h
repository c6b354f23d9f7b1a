#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// 1 − R² of the known sufficient statistics on the embeddings during stage 1, with seeds of one setting as a band
// (docs/explanation/training.md, "The theorem made visible"). Throws Error if no run has any.
StudyDrawing draw_theorem(const StudyResults& results, const std::function<bool()>& keep_going);

// Figures that evaluate a study's estimators: each task's posterior of one set as N grows, with the references; a sheet
// of tasks, one row each with the prior of the first target, sets, and that posterior (paper, "Evaluation tasks"); and
// for images a grid of sets by N, with posterior samples next to the truth. For each task, uses the first finished
// PAIRS run, or the first of any strategy. Throw Error if no task is suitable, Stopped.
StudyDrawing draw_posteriors(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_tasks(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_views(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
