#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/calibration/calibration.h"
#include "core/eval/metrics/evaluation_row.h"
#include "core/report/figure.h"

namespace pairs {

struct Metrics;

// A number of a row by its key in documents: a member, or else an entry of EvaluationRow::scores.
struct RowNumber {
  std::string key;
  double EvaluationRow::*member = nullptr;

  double of(const EvaluationRow& row) const { return member ? row.*member : row.score(key); }
  void put(EvaluationRow& row, double value) const { (member ? row.*member : row.scores[key]) = value; }
};

// The inputs of a score. Images are scored only by squared errors, parameters by all the others.
enum class ScoreNeeds { density, exact_posterior, samples, images };

// How a table shows a score.
struct ScoreShown {
  bool there = true;
  std::string heading = {};                                    // if it is not Score::heading()
  std::function<std::string(const EvaluationRow&)> text = {};  // of a cell, if it is not Score::text()
  int place = 0;                                               // lower places come first, equal ones in list order
};

// How a score is drawn.
struct ScoreDrawing {
  std::string summary = {};  // text of `figure list` and the help; "": not drawn
  std::string title = {};    // in the window
  std::string meaning = {};  // in the window: its meaning in a sentence for newcomers
  // Set if the figure is not the score against N under this heading.
  std::function<Figure(const std::vector<Metrics>&, const std::vector<std::string>& targets)> draw = {};
  std::string heading = {};
  AxisScale scale = AxisScale::linear;
  bool where_known = false;  // the window omits it if no row has the score
  bool of_one = false;       // the window shows it for one evaluation, but does not compare by it
  bool alone = false;        // it cannot show several evaluations
};

// A score measured at each set size, with everything about it for documents, tables, figures and the glossary.
struct Score {
  std::string key;        // "rmae": key of its number in documents ("_se": its standard error) and figure
  std::string title;      // "RMAE": in headings and in the glossary
  std::string unit = {};  // "nat"; "" if it has none
  std::string name = {};  // within a sentence, if other than the title
  ScoreNeeds needs = ScoreNeeds::samples;
  int digits = 4;      // decimals to show; one more for differences
  bool number = true;  // one per row; else documents store it in another way
  // Its place in the row; without members, in EvaluationRow::scores.
  double EvaluationRow::*member = nullptr;
  double EvaluationRow::*error_member = nullptr;
  std::vector<RowNumber> more = {};                          // further numbers stored with it
  std::function<double(const EvaluationRow&)> derived = {};  // derived from other numbers; shown in documents
  double RankTest::*by_target = nullptr;                     // one number per target, from the ranks
  std::function<std::string(const EvaluationRow&)> own_text = {};
  std::string meaning = {};   // help of the window's column, in a sentence for newcomers
  std::string sentence = {};  // for the glossary, as Term; "": not a term of its own
  std::string equation = {};
  ScoreShown printed = {}, in_window = {}, compared = {};  // by `evaluate`, by the Evaluate tab and by `compare`
  ScoreShown tested = {.there = false};                    // in the table of further tests of `evaluate`
  // The test of calibration whose fault marks it in the window; of_pool: next to the result for a finite pool.
  std::optional<CalibrationTest> test = {};
  bool of_pool = false;
  bool (*poor)(const EvaluationRow& row) = nullptr;  // also marks it
  ScoreDrawing figure = {};

  std::string heading() const { return unit.empty() ? title : title + " / " + unit; }
  const std::string& in_sentence() const { return name.empty() ? title : name; }
  bool drawn() const { return !figure.summary.empty(); }
  // NaN if unknown.
  double value(const EvaluationRow& row) const;
  double error(const EvaluationRow& row) const;
  // The value, its error and the further numbers: the contents of metrics.json.
  std::vector<RowNumber> numbers() const;
  std::string text(const EvaluationRow& row) const;
  std::string text(const EvaluationRow& row, const ScoreShown& shown) const;
  std::string heading(const ScoreShown& shown) const { return shown.heading.empty() ? heading() : shown.heading; }
};

// All scores, in the order of tables and of the list of figures.
const std::vector<Score>& score_list();
// The score of this key, which must be in the list.
const Score& score_named(const std::string& key);
// The scores that a table shows, by place.
std::vector<const Score*> scores_shown(ScoreShown Score::*table);

}  // namespace pairs
