#include "app/studies/study_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/scores/learned.h"
#include "app/studies/study_nuisance_figures.h"
#include "app/studies/study_pareto.h"
#include "app/studies/study_pictures.h"
#include "app/studies/study_score_figures.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

// Notes on missing runs, and on runs no better than the prior.
std::vector<std::string> notes_on(const StudyResults& results) {
  std::vector<std::string> notes;
  for (const SeedGroup& group : results.groups()) {
    const auto trained = static_cast<std::size_t>(
        std::count_if(group.runs.begin(), group.runs.end(), [](const StudyResult* one) { return one->run.trained; }));
    for (const StudyResult* one : group.runs)
      if (!one->problem.empty()) notes.push_back(fmt::format("{} is left out: {}", one->run.name, one->problem));
    if (group.done() < trained)
      notes.push_back(fmt::format("{}, {}: {} of {} seeds are done", results.task_title(group.task), group.title(),
                                  group.done(), trained));
    for (const StudyResult* one : group.runs)
      if (one->metrics && learned_nothing(one->metrics->rows))
        notes.push_back(fmt::format("{} is no better than the prior", one->run.name));
  }
  return notes;
}

}  // namespace

const std::vector<StudyFigure>& study_figures() {
  static const std::vector<StudyFigure> all = {
      {"scores", "NLL and RMAE (images: squared error) against N, one column per task", draw_scores},
      {"differences", "Score less that of PAIRS on the same test sets, paired, with errors", draw_differences},
      {"gap", "Gap to the exact posterior in nats against N", draw_gap},
      {"acauc", "ACAUC against N, with its noise floor", draw_acauc},
      {"pareto", "Training cost over that of PAIRS against the score's gap to it", draw_pareto},
      {"sweep", "Scores against a number that the study varies", draw_sweep},
      {"width", "One target and one nuisance: posterior width against ψ, with the references", draw_width},
      {"location", "One target and one nuisance: posterior mean and sd against ψ, with the references", draw_location},
      {"theorem", "Known sufficient statistics: 1 − R² on the embeddings while stage 1 trains", draw_theorem},
      {"posteriors", "Each task's posterior of one set as N grows, with its references", draw_posteriors},
      {"tasks", "One row per task: its prior, sets of observations, the posterior as N grows", draw_tasks},
      {"views", "Images: the truth and samples of the posterior, scenes by N", draw_views},
  };
  return all;
}

void check_study_figures(const Study& study) {
  std::vector<std::string> names;
  for (const StudyFigure& figure : study_figures()) names.push_back(figure.name);
  for (const std::string& name : study.figures) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest(name, names);
    fail_usage(ErrorPlace{study.file.string()}, "there is no study figure \"{}\"{}; figures are {}", printable(name),
               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), fmt::join(names, ", "));
  }
}

std::vector<StudyDrawing> draw_study(const StudyResults& results, const std::function<bool()>& keep_going) {
  if (results.study.figures.empty())
    fail_usage("{} names no figures; add for example figures = [\"scores\"]", results.study.file.string());
  check_study_figures(results.study);
  std::vector<StudyDrawing> drawings;
  for (const std::string& name : results.study.figures)
    for (const StudyFigure& figure : study_figures())
      if (figure.name == name) drawings.push_back(figure.draw(results, keep_going));
  const std::vector<std::string> notes = notes_on(results);
  if (!drawings.empty()) drawings.front().notes.insert(drawings.front().notes.end(), notes.begin(), notes.end());
  return drawings;
}

}  // namespace pairs
