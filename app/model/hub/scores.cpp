#include "app/model/hub/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/scores/metrics_file.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "app/text/glossary.h"
#include "core/base/error.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

std::string kept_key(const std::string& weights, const std::string& data) {
  return weights + "\n" + data;
}

}  // namespace

ShownFigure shown_figure(const char* name, const char* title, const char* meaning,
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
                                          const std::vector<std::string>& targets) {
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
  scores->verdict = evaluation_verdict(metrics.rows, {targets, sizes, metrics.beside});
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
      return "Truths lie on one side of the posteriors more often than chance and so many sets allow.";
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
        fmt::format("{} are as those of a calibrated posterior with so many sets.\n{}",
                    row.pool > 0 ? "Location and width" : "Location, width, ranks and coverage", calibrated_meaning());
  else
    verdict.meaning = fault_meaning(found);
  if (found.level == CalibrationLevel::borderline)
    verdict.meaning += fmt::format(
        " That is more than {} tests of a calibrated run show in 95 % of evaluations, and less than in 99.9 %: more "
        "test sets decide.",
        limits.tests);
  if (row.pool > 0)
    verdict.meaning += " The location is judged beside what the finite pool of test observations does by itself.";
  return verdict;
}

}  // namespace

ScoreTable score_table(const std::vector<EvaluationRow>& rows, std::size_t sizes) {
  using Row = EvaluationRow;
  struct Candidate {
    ScoreColumn column;
    std::function<std::string(const Row&)> text;
    bool calibration = false;
    std::function<bool(std::size_t)> marked = {};  // by index of the row
  };
  const CalibrationLimits limits = calibration_limits(rows, sizes);
  const std::vector<CalibrationFault> faults = calibration_faults(rows, limits);
  // Whether the verdict is about this test of a row: of a pool's observations the location is judged beside the pool.
  const auto at_fault = [&](CalibrationTest test, bool of_pool) {
    return [&rows, &faults, test, of_pool](std::size_t row) {
      return (test != CalibrationTest::location || (rows[row].pool > 0) == of_pool) &&
             std::any_of(faults.begin(), faults.end(),
                         [&](const CalibrationFault& one) { return one.row == row && one.test == test; });
    };
  };
  const auto poor_image = [&rows](std::size_t row) { return worse_than_mean_image(rows[row]); };
  const auto test_text = [](std::size_t which) { return [which](const Row& r) { return rank_test_texts(r)[which]; }; };
  std::vector<Candidate> all = {
      {{"N", "How many observations each test set holds."}, [](const Row& r) { return count_text(r.n); }},
      {{"sets", "How many freshly simulated test sets were scored; more make the numbers surer."},
       [](const Row& r) { return count_text(r.sets); }},
      {{"NLL / nat",
        "Mean of −log posterior density at the truth, ± its standard error: lower is better, and only comparable at "
        "one N of one task."},
       [](const Row& r) { return with_error_text(r.nll, r.nll_se, 3); }},
      {{"exact / nat", "The same for the exact posterior: nothing can be lower on average."},
       [](const Row& r) { return number_text(r.exact_on_sets(), 3); }},
      {{"gap / nat",
        "How far the NLL lies above the exact posterior's on the same sets, ± its standard error: zero is perfect."},
       [](const Row& r) { return with_error_text(r.gap, r.gap_se, 4); }},
      {{"RMAE", "Mean distance of the posterior mean from the truth, over the width of the prior: lower is better."},
       [](const Row& r) { return number_text(r.rmae, 4); }},
      {{"ACAUC (noise)",
        "Mean distance between promised and actual coverage of credible intervals; in brackets what a calibrated "
        "posterior stays below in 95 % of evaluations like this one."},
       [](const Row& r) {
         return std::isnan(r.acauc) ? "–"
                                    : fmt::format("{} ({})", number_text(r.acauc, 4), number_text(r.acauc_p95, 4));
       },
       true,
       at_fault(CalibrationTest::acauc, false)},
      {{"location z",
        "Mean rank of the truth among posterior samples less ½, in standard errors, for each target: beyond about ±4 "
        "the posterior is off centre. ACAUC cannot see this when the posterior is too wide as well."},
       test_text(0),
       true,
       at_fault(CalibrationTest::location, false)},
      {{"width z",
        "Mean distance of that rank from ½ less that of even ranks, in standard errors, for each target: above about 4 "
        "the posterior is too narrow, below −4 too wide."},
       test_text(1),
       true,
       at_fault(CalibrationTest::width, false)},
      {{"rank p",
        "How likely ranks as uneven as these are when the posterior is calibrated, for each target: below about 0.0001 "
        "something is wrong."},
       test_text(2),
       true,
       at_fault(CalibrationTest::ranks, false)},
      {{"pool z",
        "Location in standard errors of sets and pool together: all test sets share the observations of one data set, "
        "whose own deviation no estimator can remove."},
       [](const Row& r) {
         std::string text;
         for (const double z : r.pool_location_z) text += (text.empty() ? "" : ", ") + number_text(z, 1);
         return text.empty() ? std::string("–") : text;
       },
       true,
       at_fault(CalibrationTest::location, true)},
      {{"means apart / sd",
        "How far the posterior means of the run that was scored beside this one lie from these, on the same sets, in "
        "units of the posterior sd, for each target: at least half of it is one run's own error."},
       [](const Row& r) {
         std::string text;
         for (const double apart : r.beside) text += (text.empty() ? "" : ", ") + number_text(apart, 2);
         return text.empty() ? std::string("–") : text;
       }},
      {{"MSE of a sample", "Squared error per pixel of one sample of the posterior, ± its standard error."},
       [](const Row& r) { return with_error_text(r.mse, r.mse_se, 5); }},
      {{"MSE of the mean",
        "Squared error per pixel of the posterior mean, freed of the samples' noise: half that of a sample when the "
        "posterior is right."},
       [](const Row& r) { return with_error_text(r.mse_posterior, r.mse_posterior_se, 5); }},
      {{"share of prior", "That error over the one of the mean image, which is what is known without observations."},
       [](const Row& r) { return number_text(r.mse_posterior / r.mse_prior, 3); },
       false,
       poor_image},
      {{"sd per pixel", "How far samples of one posterior differ from each other, averaged over pixels."},
       [](const Row& r) { return std::isnan(r.mse_prior) ? "–" : number_text(r.sd, 4); }},
  };
  ScoreTable table;
  std::vector<const Candidate*> used;
  for (const Candidate& one : all)
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return one.text(r) != "–"; })) used.push_back(&one);
  for (const Candidate* one : used) {
    if (one->calibration && table.calibration == 0) table.calibration = table.columns.size();
    table.columns.push_back(one->column);
    if (const std::string by = equation(one->column.title); !by.empty()) table.columns.back().meaning += "\n" + by;
  }
  if (table.calibration == 0) table.calibration = table.columns.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    table.verdicts.push_back(verdict_of(rows[r], limits));
    table.rows.emplace_back();
    table.marked.emplace_back();
    for (const Candidate* one : used) {
      table.rows.back().push_back(one->text(rows[r]));
      table.marked.back().push_back(one->marked && one->marked(r));
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
