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

// A figure of evaluations: its name on the command line, its title and meaning for the user, and the function that
// draws it.
struct ScoreFigure {
  std::string name, title, meaning;
  std::function<Figure(const std::vector<Metrics>& metrics)> draw;
};

// How posteriors of one kind of target are scored: parameters by their densities, images by squared errors.
class Scoring {
 public:
  virtual ~Scoring() = default;

  // The score that compares runs.
  virtual const Score& score() const = 0;
  // That score for each of the first `count` sets of a row that are scored one by one (lower is better); and the number
  // of these sets.
  virtual std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const = 0;
  virtual std::size_t scored_sets(const EvaluationRow& row) const = 0;

  // The verdict for a run that is better than the prior.
  virtual EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const = 0;

  // Whether the score belongs to this kind.
  virtual bool scores_by(const Score& score) const = 0;
  // The rows as a table.
  Table table(const std::vector<EvaluationRow>& rows) const;
  // Throws Error, naming a suitable figure, if this one is not for this kind.
  void check_figure(const std::string& figure, const std::string& task) const;
  // Figures of several runs, the most informative first; and further ones of a single evaluation, whose targets have
  // these labels.
  std::vector<ScoreFigure> figures(const std::vector<Metrics>& metrics) const;
  std::vector<ScoreFigure> own_figures(const std::vector<std::string>& targets) const;

  // What a comparison shows of a row in addition to its score: columns, cells (of `metrics` compared with the first
  // run's; is_first: it is the first), and members of a document.
  std::vector<Table::Column> compared_columns() const;
  std::vector<std::string> compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                          bool is_first) const;
  nlohmann::json compared_document(const EvaluationRow& row) const;
  // Whether means and ranks of sets are stored: then posterior means are compared in units of their sd (means_apart),
  // and calibration is judged.
  virtual bool compares_means() const = 0;

 private:
  // The scores in a table or in the columns of `compare`.
  std::vector<const Score*> shown(ScoreShown Score::*table) const;
  // Why a figure of the other kind does not suit, and which one does.
  virtual std::string other_figure(const std::string& figure, const std::string& task) const = 0;
};

// The only place that chooses. Rows without content count as parameters.
const Scoring& scoring_of(const std::vector<EvaluationRow>& rows);
const Scoring& scoring_of(const TaskInfo& info);

}  // namespace pairs
