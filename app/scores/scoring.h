#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/score.h"
#include "app/scores/verdict.h"
#include "app/text/table.h"
#include "core/report/figure.h"

namespace pairs {

// A figure of evaluations: its name on the command line, what it is called and shows, for people, and what draws it.
struct ScoreFigure {
  std::string name, title, meaning;
  std::function<Figure(const std::vector<Metrics>& metrics)> draw;
};

// How posteriors of one kind of target are scored: of parameters by their densities, of images by squared errors.
class Scoring {
 public:
  virtual ~Scoring() = default;

  // By what runs are compared.
  virtual const Score& score() const = 0;
  // The same of the first `count` sets of a row that are scored one by one, lower being better; how many there are.
  virtual std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const = 0;
  virtual std::size_t scored_sets(const EvaluationRow& row) const = 0;

  // Of rows of a run that learnt something.
  virtual EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const = 0;

  // Whether it is one of this kind's.
  virtual bool scores_by(const Score& score) const = 0;
  // The rows for people.
  Table table(const std::vector<EvaluationRow>& rows) const;
  // Throws Error, naming one that suits, where a figure by its name is none of this kind's.
  void check_figure(const std::string& figure, const std::string& task) const;
  // Of runs together, the one that tells most first; and further ones of one evaluation alone, whose targets have
  // these labels.
  std::vector<ScoreFigure> figures(const std::vector<Metrics>& metrics) const;
  std::vector<ScoreFigure> own_figures(const std::vector<std::string>& targets) const;

  // What a comparison tells of a row beside its score: columns, cells (`metrics` beside the first run's; `first`: is
  // it), and members of a document.
  std::vector<Table::Column> compared_columns() const;
  std::vector<std::string> compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                          bool is_first) const;
  nlohmann::json compared_document(const EvaluationRow& row) const;
  // Whether means and ranks of sets are kept: then means of posteriors are compared in units of their sd (means_apart),
  // and calibration is judged.
  virtual bool compares_means() const = 0;

 private:
  // Of a table or of the columns of `compare`.
  std::vector<const Score*> shown(ScoreShown Score::*table) const;
  // Why a figure of the other kind does not suit, and which does.
  virtual std::string other_figure(const std::string& figure, const std::string& task) const = 0;
};

// The one place that chooses. Parameters', of rows that hold nothing yet.
const Scoring& scoring_of(const std::vector<EvaluationRow>& rows);
const Scoring& scoring_of(const TaskInfo& info);

}  // namespace pairs
