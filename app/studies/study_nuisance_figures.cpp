#include "app/studies/study_nuisance_figures.h"

#include <utility>

#include "app/posterior/figures/width_figure.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// The first finished run of each group of tasks with such a figure.
std::vector<LoadedRun> nuisance_runs(const StudyResults& results, const char* figure) {
  std::vector<LoadedRun> runs;
  for (const SeedGroup& group : done_groups(results))
    for (const StudyResult* one : group.runs) {
      if (!one->metrics) continue;
      LoadedRun run = load_run(results.tasks, one->folder.string(), "", "cpu");
      run.name = group.title();
      if (has_width_figure(*run.task)) runs.push_back(std::move(run));
      break;
    }
  if (runs.empty())
    fail_usage(
        "The figure {} is of tasks with one target, one nuisance and references; {} has no such run that is done",
        figure, results.study.name);
  return runs;
}

StudyDrawing nuisance_drawing(const char* name, WidthFigure drawn) {
  StudyDrawing drawing{name, std::move(drawn.figure)};
  if (drawn.mcmc) drawing.notes = drawn.mcmc->lines();
  return drawing;
}

}  // namespace

StudyDrawing draw_width(const StudyResults& results, const std::function<bool()>& keep_going) {
  const WidthOptions options = {.mcmc = {.sets = results.study.mcmc_sets}};
  return nuisance_drawing("width", width_figure(nuisance_runs(results, "width"), options, keep_going));
}

StudyDrawing draw_location(const StudyResults& results, const std::function<bool()>& keep_going) {
  const WidthOptions options = {.mcmc = {.sets = results.study.mcmc_sets}};
  return nuisance_drawing("location", location_figure(nuisance_runs(results, "location"), options, keep_going));
}

}  // namespace pairs
