#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/scores/verdict.h"
#include "core/eval/calibration/calibration.h"
#include "core/report/figure.h"

namespace pairs {
struct Metrics;
}

namespace pairs::model {

// A figure of a panel, or a sentence on why there is none.
struct ShownFigure {
  std::string name;     // "nll": key in widgets and file names
  std::string title;    // short
  std::string meaning;  // a sentence for newcomers
  std::shared_ptr<const Figure> figure;
  std::string missing;
};

// The results of an evaluation, with figures. Immutable; made on a worker.
struct Scores {
  std::string run, name;  // as passed to Evaluation::show; display name
  std::string data;       // source of the test sets
  std::int64_t seed = 1;  // of the test sets
  bool complete = true;   // whether every requested size is done
  std::size_t sizes = 0;  // number of requested sizes
  std::string place;      // the file that stores them, "" if none
  std::string note;       // effect of a finite pool of observations; or ""
  std::string caution;    // Metrics::caution
  EvaluationVerdict verdict;
  std::string sharpness;  // sharpness_sentences
  std::vector<EvaluationRow> rows;
  std::vector<ShownFigure> figures;
  std::shared_ptr<const Metrics> metrics;
};

// NLL, gap to the exact posterior if there is one, RMAE and calibration against N. All runs belong to one task.
std::vector<ShownFigure> metric_figures(const std::vector<Metrics>& metrics);
// The scores of one run, with coverage and rank histograms. `targets`: their labels. `sizes`: number of requested
// sizes. `others`: the scores of other runs to compare its sharpness with (neighbor_metrics).
std::shared_ptr<const Scores> make_scores(const std::string& run, Metrics metrics, std::size_t sizes, std::string place,
                                          const std::vector<std::string>& targets,
                                          const std::vector<Metrics>& others = {});

// The figure that `build` makes; if it throws, the error as the sentence.
ShownFigure shown_figure(const std::string& name, const std::string& title, const std::string& meaning,
                         const std::function<Figure()>& build);

// A column of the table of scores.
struct ScoreColumn {
  std::string title, meaning;  // meaning: one sentence for newcomers
};
// The result of the calibration tests of a row, corrected for their number.
struct Verdict {
  CalibrationLevel level = CalibrationLevel::unknown;
  std::string text, meaning;  // "borderline: off center"; one sentence; both empty when unknown
};
// Column titles with explanations, and a row of texts and a verdict for each row of scores. Omits empty columns.
struct ScoreTable {
  std::vector<ScoreColumn> columns;
  std::size_t calibration = 0;  // first column on calibration
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<bool>> marked;  // as rows: cells that the evaluation's verdict is about
  std::vector<Verdict> verdicts;
};
// `sizes`: number of requested sizes.
ScoreTable score_table(const std::vector<EvaluationRow>& rows, std::size_t sizes = 0);

// Evaluations that cannot be stored with their weights, kept while the program runs. Thread-safe.
class KeptScores {
 public:
  void keep(Metrics metrics);
  // The evaluation of these weights on this data; null if there is none.
  std::shared_ptr<const Metrics> find(const std::string& weights, const std::string& data) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Metrics>> all_;
};

}  // namespace pairs::model
