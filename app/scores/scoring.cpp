#include "app/scores/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/scores/companion.h"
#include "app/scores/score_figures.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"
#include "core/report/number_text.h"
#include "core/task.h"

namespace pairs {
namespace {

// Negative log densities of the truth, and calibration.
class DensityScoring final : public Scoring {
 public:
  const Score& score() const override { return score_named("nll"); }
  std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const override {
    std::vector<double> losses(row.log_prob.begin(), row.log_prob.begin() + static_cast<std::ptrdiff_t>(count));
    for (double& one : losses) one = -one;
    return losses;
  }
  std::size_t scored_sets(const EvaluationRow& row) const override { return row.log_prob.size(); }
  EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const override {
    return density_verdict(rows, context);
  }
  bool scores_by(const Score& score) const override { return score.needs != ScoreNeeds::images; }
  bool compares_means() const override { return true; }

 private:
  std::string other_figure(const std::string& figure, const std::string& task) const override {
    return fmt::format("The figure {} is of images, but the target of task {} is not one; draw the figure rmae", figure,
                       task);
  }
};

// Squared errors per pixel of samples and of their mean, compared with the mean image's.
class ImageScoring final : public Scoring {
 public:
  const Score& score() const override { return score_named("mse_posterior"); }
  std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const override {
    return {row.set_mse_posterior.begin(), row.set_mse_posterior.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  std::size_t scored_sets(const EvaluationRow& row) const override { return row.set_mse_posterior.size(); }
  EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext&) const override {
    return image_verdict(rows);
  }
  bool scores_by(const Score& score) const override { return score.needs == ScoreNeeds::images; }
  bool compares_means() const override { return false; }

 private:
  std::string other_figure(const std::string& figure, const std::string& task) const override {
    return fmt::format(
        "The figure {} is of densities of parameters, but the target of task {} is an image; draw the figure mse",
        figure, task);
  }
};

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

bool any_known(const Score& score, const std::vector<EvaluationRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const EvaluationRow& row) { return !std::isnan(score.value(row)); });
}

// Whether any score with the same inputs is known: a missing one leaves a gap in its column, but not the column.
bool any_alike(const Score& score, const std::vector<EvaluationRow>& rows) {
  // Scores of only a few tasks are not members of a row.
  if (score.needs == ScoreNeeds::density) return score.member != nullptr || any_known(score, rows);
  if (score.needs != ScoreNeeds::exact_posterior && score.needs != ScoreNeeds::samples) return true;
  return std::any_of(score_list().begin(), score_list().end(),
                     [&](const Score& one) { return one.needs == score.needs && any_known(one, rows); });
}

}  // namespace

const Scoring& scoring_of(const std::vector<EvaluationRow>& rows) {
  return scoring(
      std::any_of(rows.begin(), rows.end(), [](const EvaluationRow& row) { return !std::isnan(row.mse_prior); }));
}

const Scoring& scoring_of(const TaskInfo& info) {
  return scoring(info.target_kind == TargetKind::image);
}

std::vector<const Score*> Scoring::shown(ScoreShown Score::*table) const {
  std::vector<const Score*> out = scores_shown(table);
  std::erase_if(out, [&](const Score* one) { return !scores_by(*one); });
  return out;
}

Table Scoring::table(const std::vector<EvaluationRow>& rows) const {
  std::vector<const Score*> scores = shown(&Score::printed);
  std::erase_if(scores, [&](const Score* one) { return !any_alike(*one, rows); });
  // The columns of other references come before the scores that need samples.
  const auto sampled =
      std::find_if(scores.begin(), scores.end(), [](const Score* one) { return one->needs == ScoreNeeds::samples; });
  const bool judged = sampled != scores.end();
  std::vector<std::string> others;
  if (!rows.empty())
    for (const auto& [name, value] : rows.front().reference_nll)
      if (name != "exact") others.push_back(name);
  std::vector<Table::Column> columns = {{"N"}, {"sets"}};
  if (!compares_means()) columns.push_back({"samples"});
  const auto add_headings = [&](auto from, auto to) {
    for (; from != to; ++from) columns.push_back({(*from)->heading((*from)->printed)});
  };
  add_headings(scores.begin(), sampled);
  for (const std::string& name : others) columns.push_back({name + " / nat"});
  add_headings(sampled, scores.end());
  if (judged) columns.push_back({"calibration", false});
  const CalibrationLimits limits = calibration_limits(rows);
  Table table(columns);
  for (const EvaluationRow& row : rows) {
    std::vector<std::string> cells = {size_text(row), count_text(row.sets)};
    if (!compares_means()) cells.push_back(count_text(row.samples));
    const auto add_cells = [&](auto from, auto to) {
      for (; from != to; ++from) cells.push_back((*from)->text(row, (*from)->printed));
    };
    add_cells(scores.begin(), sampled);
    for (const std::string& name : others) {
      const auto value = row.reference_nll.find(name);
      cells.push_back(number_text(value == row.reference_nll.end() ? std::nan("") : value->second, 3));
    }
    add_cells(sampled, scores.end());
    if (judged) cells.push_back(calibration_text(calibration(row, limits)));
    table.add(std::move(cells));
  }
  return table;
}

void Scoring::check_figure(const std::string& figure, const std::string& task) const {
  for (const Score& score : score_list())
    if (score.drawn() && score.key == figure && !scores_by(score)) fail("{}", other_figure(figure, task));
}

std::vector<ScoreFigure> Scoring::figures(const std::vector<Metrics>& metrics) const {
  std::vector<ScoreFigure> out;
  for (const Score& score : score_list()) {
    if (!score.drawn() || score.figure.of_one || !scores_by(score)) continue;
    const bool known =
        std::any_of(metrics.begin(), metrics.end(), [&](const Metrics& one) { return any_known(score, one.rows); });
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
  if (compares_means()) columns.push_back({score_named("means_apart").heading()});
  for (const Score* one : shown(&Score::compared)) columns.push_back({one->heading(one->compared)});
  if (compares_means()) columns.push_back({"calibration", false});
  return columns;
}

std::vector<std::string> Scoring::compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                                 bool is_first) const {
  const EvaluationRow& one = metrics.rows[row];
  std::vector<std::string> cells;
  if (compares_means()) {
    std::string apart;
    for (const double value : is_first ? std::vector<double>() : means_apart_at(first, metrics, one.n))
      apart += (apart.empty() ? "" : ", ") + number_text(value, 2);
    cells.push_back(apart.empty() && !is_first ? "–" : apart);
  }
  for (const Score* score : shown(&Score::compared)) cells.push_back(score->text(one, score->compared));
  if (compares_means()) cells.push_back(calibration_text(calibration(one, calibration_limits(metrics.rows))));
  return cells;
}

nlohmann::json Scoring::compared_document(const EvaluationRow& row) const {
  nlohmann::json document = nlohmann::json::object();
  if (row.samples == 0) return document;
  for (const Score* one : shown(&Score::compared))
    for (const RowNumber& number : one->numbers())
      if (number.member || row.scores.contains(number.key)) document[number.key] = number.of(row);
  return document;
}

}  // namespace pairs
