#include "app/scores/scoring.h"

#include <algorithm>
#include <cmath>

#include "app/scores/density_scoring.h"
#include "app/scores/image_scoring.h"
#include "app/scores/score_figures.h"
#include "core/base/error.h"
#include "core/task.h"

namespace pairs {
namespace {

const Scoring& scoring(bool of_an_image) {
  static const DensityScoring densities;
  static const ImageScoring images;
  if (of_an_image) return images;
  return densities;
}

ScoreFigure figure_of(const Score& score, const std::vector<std::string>& targets) {
  return {score.key, score.figure.title, score.figure.meaning,
          [&score, targets](const std::vector<Metrics>& metrics) { return score_figure(score, metrics, targets); }};
}

}  // namespace

const Scoring& scoring_of(const std::vector<EvaluationRow>& rows) {
  return scoring(
      std::any_of(rows.begin(), rows.end(), [](const EvaluationRow& row) { return !std::isnan(row.mse_prior); }));
}

const Scoring& scoring_of(const TaskInfo& info) {
  return scoring(info.target_kind == TargetKind::image);
}

void Scoring::check_figure(const std::string& figure, const std::string& task) const {
  for (const Score& score : score_list())
    if (score.drawn() && score.key == figure && !scores_by(score)) fail("{}", other_figure(figure, task));
}

std::vector<ScoreFigure> Scoring::figures(const std::vector<Metrics>& metrics) const {
  std::vector<ScoreFigure> out;
  for (const Score& score : score_list()) {
    if (!score.drawn() || score.figure.of_one || !scores_by(score)) continue;
    const bool known = std::any_of(metrics.begin(), metrics.end(), [&](const Metrics& one) {
      return std::any_of(one.rows.begin(), one.rows.end(),
                         [&](const EvaluationRow& row) { return !std::isnan(score.value(row)); });
    });
    if (known || !score.figure.where_known) out.push_back(figure_of(score, {}));
  }
  return out;
}

std::vector<ScoreFigure> Scoring::own_figures(const std::vector<std::string>& targets) const {
  std::vector<ScoreFigure> out;
  for (const Score& score : score_list())
    if (score.drawn() && score.figure.of_one && scores_by(score)) out.push_back(figure_of(score, targets));
  return out;
}

std::vector<Table::Column> Scoring::compared_columns() const {
  std::vector<Table::Column> columns = {{score().unit.empty() ? "minus first" : "minus first / " + score().unit}};
  for (const Score* one : scores_shown(&Score::compared))
    if (scores_by(*one)) columns.push_back({one->heading(one->compared)});
  return columns;
}

std::vector<std::string> Scoring::compared_cells(const Metrics&, const Metrics& metrics, std::size_t row, bool) const {
  std::vector<std::string> cells;
  for (const Score* one : scores_shown(&Score::compared))
    if (scores_by(*one)) cells.push_back(one->text(metrics.rows[row], one->compared));
  return cells;
}

nlohmann::json Scoring::compared_document(const EvaluationRow& row) const {
  nlohmann::json document = nlohmann::json::object();
  if (row.samples == 0) return document;
  for (const Score* one : scores_shown(&Score::compared))
    if (scores_by(*one))
      for (const RowNumber& number : one->numbers())
        if (number.member || row.scores.contains(number.key)) document[number.key] = number.of(row);
  return document;
}

}  // namespace pairs
