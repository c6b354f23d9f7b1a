#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/calibration.h"
#include "core/eval/evaluation_row.h"
#include "core/report/figure.h"

namespace pairs {

struct Metrics;

// A number of a row by its name in documents: a member, or without one what stands in EvaluationRow::scores.
struct RowNumber {
  std::string key;
  double EvaluationRow::*member = nullptr;

  double of(const EvaluationRow& row) const { return member ? row.*member : row.score(key); }
  void put(EvaluationRow& row, double value) const { (member ? row.*member : row.scores[key]) = value; }
};

// What a score is made of. Images are scored by squared errors alone, parameters by all the others.
enum class ScoreNeeds { density, exact_posterior, samples, images };

// How a table shows a score.
struct ScoreShown {
  bool there = true;
  std::string heading = {};                                    // where it is not Score::heading()
  std::function<std::string(const EvaluationRow&)> text = {};  // of a cell, where it is not Score::text()
  int place = 0;                                               // lower ones stand first, equal ones as in the list
};

// How a score is drawn.
struct ScoreDrawing {
  std::string summary = {};  // what `figure list` and the help say; "": it is not drawn
  std::string title = {};    // in the window
  std::string meaning = {};  // in the window: what it shows, in a sentence for newcomers
  // Where it is not the score against N under this heading.
  std::function<Figure(const std::vector<Metrics>&, const std::vector<std::string>& targets)> draw = {};
  std::string heading = {};
  AxisScale scale = AxisScale::linear;
  bool where_known = false;  // the window leaves it out where no row knows the score
  bool of_one = false;       // the window shows it of one evaluation, and does not compare by it
  bool alone = false;        // it cannot show several evaluations
};

// One thing that is measured at each set size, with all that documents, tables, figures and the glossary tell of it.
struct Score {
  std::string key;        // "rmae": of its number in documents, with "_se" for its standard error, and of its figure
  std::string title;      // "RMAE": in headings and in the glossary
  std::string unit = {};  // "nat"; "" where it has none
  std::string name = {};  // in the middle of a sentence, where it is not the title
  ScoreNeeds needs = ScoreNeeds::samples;
  int digits = 4;      // decimals worth showing; a difference deserves one more
  bool number = true;  // one a row; else documents keep it in another way
  // Where the row keeps it; without members, in EvaluationRow::scores.
  double EvaluationRow::*member = nullptr;
  double EvaluationRow::*error_member = nullptr;
  std::vector<RowNumber> more = {};                          // kept beside it
  std::function<double(const EvaluationRow&)> derived = {};  // made of other numbers; documents tell it
  double RankTest::*by_target = nullptr;                     // one number a target, made of the ranks
  std::function<std::string(const EvaluationRow&)> own_text = {};
  std::string meaning = {};   // at the head of the window's column, in a sentence for newcomers
  std::string sentence = {};  // for the glossary, as Term; "": it is no term of its own
  std::string equation = {};
  ScoreShown printed = {}, in_window = {}, compared = {};  // by `evaluate`, by the tab Evaluate and by `compare`
  ScoreShown tested = {.there = false};                    // in the table of further tests below that of `evaluate`
  // The test of calibration whose fault marks it in the window; of_pool: where a finite pool stands beside that.
  std::optional<CalibrationTest> test = {};
  bool of_pool = false;
  bool (*poor)(const EvaluationRow& row) = nullptr;  // marks it, too
  ScoreDrawing figure = {};

  std::string heading() const { return unit.empty() ? title : title + " / " + unit; }
  const std::string& in_sentence() const { return name.empty() ? title : name; }
  bool drawn() const { return !figure.summary.empty(); }
  // NaN where they are not known.
  double value(const EvaluationRow& row) const;
  double error(const EvaluationRow& row) const;
  // The value, its error and what is kept beside them: what metrics.json holds.
  std::vector<RowNumber> numbers() const;
  std::string text(const EvaluationRow& row) const;
  std::string text(const EvaluationRow& row, const ScoreShown& shown) const;
  std::string heading(const ScoreShown& shown) const { return shown.heading.empty() ? heading() : shown.heading; }
};

// All of them, in the order of tables and of the list of figures.
const std::vector<Score>& score_list();
// By its key, which must be one of the list's.
const Score& score_named(const std::string& key);
// Those that a table shows, by their places.
std::vector<const Score*> scores_shown(ScoreShown Score::*table);

}  // namespace pairs
