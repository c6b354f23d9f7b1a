#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/scores/verdict.h"
#include "core/eval/calibration.h"
#include "core/report/figure.h"

namespace pairs {
struct Metrics;
}

namespace pairs::model {

// A figure of a panel, or the sentence why there is none.
struct ShownFigure {
  std::string name;     // "nll": widgets and files
  std::string title;    // short
  std::string meaning;  // what it shows, in a sentence for newcomers
  std::shared_ptr<const Figure> figure;
  std::string missing;
};

// What an evaluation measured, with its figures. Immutable; made on a worker.
struct Scores {
  std::string run, name;  // as Evaluation::show was given; for people
  std::string data;       // where the test sets come from
  std::int64_t seed = 1;  // of the test sets
  bool complete = true;   // every size that was asked for
  std::size_t sizes = 0;  // how many these were
  std::string place;      // the file that keeps them, "" when none does
  std::string note;       // what a finite pool of observations does; "" without one
  std::string caution;    // Metrics::caution
  EvaluationVerdict verdict;
  std::vector<EvaluationRow> rows;
  std::vector<ShownFigure> figures;
  std::shared_ptr<const Metrics> metrics;
};

// NLL, gap to the exact posterior where there is one, RMAE and calibration against N. All of one task.
std::vector<ShownFigure> metric_figures(const std::vector<Metrics>& metrics);
// The same of one run, with coverage and rank histograms; `targets` are labels.
// `sizes`: how many were asked for.
std::shared_ptr<const Scores> make_scores(const std::string& run, Metrics metrics, std::size_t sizes, std::string place,
                                          const std::vector<std::string>& targets);

// The figure that `build` makes; where it throws, the sentence in its place.
ShownFigure shown_figure(const std::string& name, const std::string& title, const std::string& meaning,
                         const std::function<Figure()>& build);

// A column of the table of scores.
struct ScoreColumn {
  std::string title, meaning;  // meaning: one sentence for newcomers
};
// What the tests of calibration say of a row, corrected for their number.
struct Verdict {
  CalibrationLevel level = CalibrationLevel::unknown;
  std::string text, meaning;  // "borderline: off centre"; one sentence; both empty when unknown
};
// Titles with their explanations, and one row of texts and a verdict for each row of scores. Columns that no row fills
// are left out.
struct ScoreTable {
  std::vector<ScoreColumn> columns;
  std::size_t calibration = 0;  // the columns from this one on, and the verdicts, are on calibration
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<bool>> marked;  // as rows: the cells that the evaluation's verdict is about
  std::vector<Verdict> verdicts;
};
// `sizes`: how many the evaluation asked for.
ScoreTable score_table(const std::vector<EvaluationRow>& rows, std::size_t sizes = 0);

// Evaluations of weights beside which nothing may be written, kept while the program runs. From any thread.
class KeptScores {
 public:
  void keep(Metrics metrics);
  // Of these weights on this data; null when there are none.
  std::shared_ptr<const Metrics> find(const std::string& weights, const std::string& data) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Metrics>> all_;
};

}  // namespace pairs::model
