#include "app/scores/density_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/scores/beside.h"
#include "core/eval/calibration.h"
#include "core/report/number_text.h"

namespace pairs {

const Score& DensityScoring::score() const {
  static const Score& nll = score_named("nll");
  return nll;
}

std::vector<double> DensityScoring::of_sets(const EvaluationRow& row, std::size_t count) const {
  std::vector<double> losses(row.log_prob.begin(), row.log_prob.begin() + static_cast<std::ptrdiff_t>(count));
  for (double& one : losses) one = -one;
  return losses;
}

std::string DensityScoring::table(const std::vector<EvaluationRow>& rows, int indent) const {
  const auto known = [&](ScoreNeeds needs) {
    for (const Score& score : score_list())
      for (const EvaluationRow& row : rows)
        if (score.needs == needs && !std::isnan(score.value(row))) return true;
    return false;
  };
  std::vector<const Score*> scores;
  for (const Score* one : scores_shown(&Score::printed))
    if (scores_by(*one) && (one->needs == ScoreNeeds::density || known(one->needs))) scores.push_back(one);
  // Other references stand behind what is measured beside them.
  const auto sampled =
      std::find_if(scores.begin(), scores.end(), [](const Score* one) { return one->needs == ScoreNeeds::samples; });
  std::vector<std::string> others;
  if (!rows.empty())
    for (const auto& [name, value] : rows.front().reference_nll)
      if (name != "exact") others.push_back(name);
  std::vector<Table::Column> columns = {{"N"}, {"sets"}};
  for (auto one = scores.begin(); one != sampled; ++one) columns.push_back({(*one)->heading((*one)->printed)});
  for (const std::string& name : others) columns.push_back({name + " / nat"});
  for (auto one = sampled; one != scores.end(); ++one) columns.push_back({(*one)->heading((*one)->printed)});
  if (sampled != scores.end()) columns.push_back({"calibration", false});
  const CalibrationLimits limits = calibration_limits(rows);
  Table table(columns);
  for (const EvaluationRow& row : rows) {
    std::vector<std::string> cells = {size_text(row), count_text(row.sets)};
    for (auto one = scores.begin(); one != sampled; ++one) cells.push_back((*one)->text(row, (*one)->printed));
    for (const std::string& name : others) {
      const auto value = row.reference_nll.find(name);
      cells.push_back(number_text(value == row.reference_nll.end() ? std::nan("") : value->second, 3));
    }
    for (auto one = sampled; one != scores.end(); ++one) cells.push_back((*one)->text(row, (*one)->printed));
    if (sampled != scores.end()) cells.push_back(calibration_text(calibration(row, limits)));
    table.add(std::move(cells));
  }
  return table.text(indent);
}

EvaluationVerdict DensityScoring::verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const {
  return density_verdict(rows, context);
}

std::string DensityScoring::other_figure(const std::string& figure, const std::string& task) const {
  return fmt::format("The figure {} is of images, but the target of task {} is not one; draw the figure rmae", figure,
                     task);
}

std::vector<Table::Column> DensityScoring::compared_columns() const {
  std::vector<Table::Column> columns = Scoring::compared_columns();
  columns.insert(columns.begin() + 1, {score_named("means_apart").heading()});
  columns.push_back({"calibration", false});
  return columns;
}

std::vector<std::string> DensityScoring::compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                                        bool is_first) const {
  const EvaluationRow& one = metrics.rows[row];
  std::vector<std::string> cells = Scoring::compared_cells(first, metrics, row, is_first);
  std::string apart;
  for (const double value : is_first ? std::vector<double>() : means_apart_at(first, metrics, one.n))
    apart += (apart.empty() ? "" : ", ") + number_text(value, 2);
  cells.insert(cells.begin(), apart.empty() && !is_first ? "–" : apart);
  cells.push_back(calibration_text(calibration(one, calibration_limits(metrics.rows))));
  return cells;
}

}  // namespace pairs
