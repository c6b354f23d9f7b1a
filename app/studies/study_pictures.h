#pragma once

#include <functional>

#include "app/studies/study_drawing.h"

namespace pairs {

// 1 − R² of the known sufficient statistics on the embeddings while stage 1 trains, seeds of one setting as a band
// (docs/method.md, "The theorem made visible"). Throws Error where no run tells any.
StudyDrawing draw_theorem(const StudyResults& results, const std::function<bool()>& keep_going);

// Figures of a study that ask its estimators: each task's posterior of one set as N grows, beside the references; a
// sheet of tasks, each a row with the prior of its first target, sets of it, and that posterior (paper, "Evaluation
// tasks"); and of images a grid of sets by N, with samples of the posterior beside the truth. Of each task the first
// PAIRS run that is done, or the first of any strategy. Throw Error where no task suits, Stopped.
StudyDrawing draw_posteriors(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_tasks(const StudyResults& results, const std::function<bool()>& keep_going);
StudyDrawing draw_views(const StudyResults& results, const std::function<bool()>& keep_going);

}  // namespace pairs
