#include "app/model/hub/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/scores/glossary.h"
#include "app/scores/learned.h"
#include "app/scores/metrics_file.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "app/scores/sharpness.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

std::string kept_key(const std::string& weights, const std::string& data) {
  return weights + "\n" + data;
}

}  // namespace

ShownFigure shown_figure(const std::string& name, const std::string& title, const std::string& meaning,
                         const std::function<Figure()>& build) {
  ShownFigure out{name, title, meaning, nullptr, ""};
  try {
    out.figure = std::make_shared<const Figure>(build());
  } catch (const Error& error) {
    out.missing = error.what();
  }
  return out;
}

std::vector<ShownFigure> metric_figures(const std::vector<Metrics>& metrics) {
  std::vector<ShownFigure> out;
  if (metrics.empty()) return out;
  for (const ScoreFigure& one : scoring_of(metrics.front().rows).figures(metrics))
    out.push_back(shown_figure(one.name, one.title, one.meaning, [&] { return one.draw(metrics); }));
  return out;
}

std::shared_ptr<const Scores> make_scores(const std::string& run, Metrics metrics, std::size_t sizes, std::string place,
                                          const std::vector<std::string>& targets, const std::vector<Metrics>& others) {
  auto scores = std::make_shared<Scores>();
  scores->run = run;
  scores->name = metrics.run;
  scores->data = metrics.data;
  scores->seed = metrics.seed;
  scores->sizes = sizes;
  scores->complete = metrics.rows.size() >= sizes;
  scores->place = std::move(place);
  scores->note = metrics.subjects > 0 ? subject_note(metrics) : pool_note(metrics.rows);
  scores->caution = metrics.caution;
  scores->verdict = evaluation_verdict(metrics.rows, {targets, sizes, metrics.companion});
  if (scores->complete && !learned_nothing(metrics.rows))
    scores->sharpness = sharpness_sentences(metrics, others, targets);
  scores->rows = metrics.rows;
  scores->figures = metric_figures({metrics});
  for (const ScoreFigure& one : scoring_of(metrics.rows).own_figures(targets))
    scores->figures.push_back(shown_figure(one.name, one.title, one.meaning, [&] { return one.draw({metrics}); }));
  scores->metrics = std::make_shared<const Metrics>(std::move(metrics));
  return scores;
}

namespace {

const char* fault_meaning(const RowCalibration& found) {
  switch (found.test) {
    case CalibrationTest::location:
      return "Truths lie on one side of the posteriors more often than chance allows for this number of sets.";
    case CalibrationTest::width:
      return found.value > 0 ? "Posteriors are too narrow: credible intervals hold the truth too rarely."
                             : "Posteriors are too wide: credible intervals hold the truth too often.";
    case CalibrationTest::ranks:
      return "Some ranks of the truth among the samples are more frequent than others.";
    case CalibrationTest::acauc:
      break;
  }
  return "Credible intervals hold the truth more or less often than they promise, averaged over their levels and the "
         "targets.";
}

Verdict verdict_of(const EvaluationRow& row, const CalibrationLimits& limits) {
  if (row.extrapolation)
    return {CalibrationLevel::unknown, "extrapolation",
            "The run was trained for sets of other sizes: here it is shown, and not judged."};
  const RowCalibration found = calibration(row, limits);
  if (found.level == CalibrationLevel::unknown) return {};
  Verdict verdict{found.level, calibration_text(found), ""};
  if (found.level == CalibrationLevel::calibrated)
    verdict.meaning =
        fmt::format("{} are compatible with a calibrated posterior, for this number of sets.\n{}",
                    row.pool > 0 ? "Location and width" : "Location, width, ranks and coverage", calibrated_meaning());
  else
    verdict.meaning = fault_meaning(found);
  if (found.level == CalibrationLevel::borderline)
    verdict.meaning += fmt::format(
        " One of {} tests together: family-wise false-alarm rate 5 % (borderline), 0.1 % (miscalibrated). More test "
        "sets decide.",
        limits.tests + limits.pooled_tests);
  if (row.pool > 0)
    verdict.meaning += " The location is judged against the effect of the finite pool of test observations alone.";
  return verdict;
}

}  // namespace

ScoreTable score_table(const std::vector<EvaluationRow>& rows, std::size_t sizes) {
  const CalibrationLimits limits = calibration_limits(rows, sizes);
  const std::vector<CalibrationFault> faults = calibration_faults(rows, limits);
  // Whether the verdict is about the row's score: with a pool of observations, the location is judged relative to the
  // pool.
  const auto marked = [&](const Score& score, std::size_t row) {
    if (score.poor && score.poor(rows[row])) return true;
    return score.test && (score.test != CalibrationTest::location || (rows[row].pool > 0) == score.of_pool) &&
           std::any_of(faults.begin(), faults.end(),
                       [&](const CalibrationFault& one) { return one.row == row && one.test == *score.test; });
  };
  ScoreTable table;
  table.columns = {{"N", "How many observations each test set holds."},
                   {"sets", "How many freshly simulated test sets were scored; more make the numbers more precise."}};
  std::vector<const Score*> used;
  for (const Score* one : scores_shown(&Score::in_window)) {
    if (std::none_of(rows.begin(), rows.end(), [&](const auto& row) { return one->text(row, one->in_window) != "–"; }))
      continue;
    if (one->test && table.calibration == 0) table.calibration = table.columns.size();
    used.push_back(one);
    table.columns.push_back({one->heading(one->in_window), one->meaning});
    if (const std::string by = equation(table.columns.back().title); !by.empty())
      table.columns.back().meaning += "\n" + by;
  }
  if (table.calibration == 0) table.calibration = table.columns.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    table.verdicts.push_back(verdict_of(rows[r], limits));
    table.rows.push_back({count_text(rows[r].n), count_text(rows[r].sets)});
    table.marked.push_back({false, false});
    for (const Score* one : used) {
      table.rows.back().push_back(one->text(rows[r], one->in_window));
      table.marked.back().push_back(marked(*one, r));
    }
  }
  return table;
}

void KeptScores::keep(Metrics metrics) {
  auto kept = std::make_shared<const Metrics>(std::move(metrics));
  const std::lock_guard lock(mutex_);
  const std::string key = kept_key(kept->weights, kept->data);
  all_[key] = std::move(kept);
}

std::shared_ptr<const Metrics> KeptScores::find(const std::string& weights, const std::string& data) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(kept_key(weights, data));
  return found == all_.end() ? nullptr : found->second;
}

}  // namespace pairs::model
