#include "app/scores/density_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/target/parameters_room.h"
#include "app/scores/beside.h"
#include "app/scores/score_figures.h"
#include "core/eval/calibration.h"
#include "core/report/number_text.h"

namespace pairs {

const Score& DensityScoring::score() const {
  static const Score nll = {"NLL", "NLL / nat", "nll", 3, &EvaluationRow::nll, &EvaluationRow::nll_se};
  return nll;
}

std::vector<double> DensityScoring::of_sets(const EvaluationRow& row, std::size_t count) const {
  std::vector<double> losses(row.log_prob.begin(), row.log_prob.begin() + static_cast<std::ptrdiff_t>(count));
  for (double& one : losses) one = -one;
  return losses;
}

std::string DensityScoring::table(const std::vector<EvaluationRow>& rows, int indent) const {
  const auto any = [&](const std::function<bool(const EvaluationRow&)>& has) {
    for (const EvaluationRow& row : rows)
      if (has(row)) return true;
    return false;
  };
  const bool exact = any([](const EvaluationRow& r) { return !std::isnan(r.exact_nll); });
  const bool sampled = any([](const EvaluationRow& r) { return !std::isnan(r.rmae); });
  std::vector<std::string> others;
  if (!rows.empty())
    for (const auto& [name, value] : rows.front().reference_nll)
      if (name != "exact") others.push_back(name);
  std::vector<Table::Column> columns = {{"N"}, {"sets"}, {"NLL / nat"}};
  if (exact) columns.insert(columns.end(), {{"exact / nat"}, {"gap / nat"}});
  for (const std::string& name : others) columns.push_back({name + " / nat"});
  if (sampled)
    columns.insert(columns.end(), {{"sd"},
                                   {"RMAE"},
                                   {"ACAUC"},
                                   {"noise floor (95 %)"},
                                   {"location z"},
                                   {"width z"},
                                   {"rank p"},
                                   {"calibration", false}});
  const CalibrationLimits limits = calibration_limits(rows);
  Table table(columns);
  for (const EvaluationRow& row : rows) {
    std::vector<std::string> cells = {size_text(row), count_text(row.sets), with_error_text(row.nll, row.nll_se, 3)};
    if (exact) {
      cells.push_back(number_text(row.exact_on_sets(), 3));
      cells.push_back(with_error_text(row.gap, row.gap_se, 4));
    }
    for (const std::string& name : others) {
      const auto value = row.reference_nll.find(name);
      cells.push_back(number_text(value == row.reference_nll.end() ? std::nan("") : value->second, 3));
    }
    if (sampled) {
      cells.push_back(number_text(row.sd, 4));
      cells.push_back(number_text(row.rmae, 4));
      cells.push_back(number_text(row.acauc, 4));
      cells.push_back(fmt::format("{} ({})", number_text(row.acauc_floor, 4), number_text(row.acauc_p95, 4)));
      for (std::string& text : rank_test_texts(row)) cells.push_back(std::move(text));
      cells.push_back(calibration_text(calibration(row, limits)));
    }
    table.add(std::move(cells));
  }
  return table.text(indent);
}

EvaluationVerdict DensityScoring::verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const {
  return density_verdict(rows, context);
}

void DensityScoring::check_figure(const std::string& figure, const std::string& task) const {
  ParametersRoom().check_figure(figure, task);
}

std::vector<ScoreFigure> DensityScoring::figures(const std::vector<Metrics>& metrics) const {
  const bool any_gap = std::any_of(metrics.begin(), metrics.end(), [](const Metrics& one) {
    return std::any_of(one.rows.begin(), one.rows.end(), [](const EvaluationRow& row) { return !std::isnan(row.gap); });
  });
  std::vector<ScoreFigure> out = {
      {"nll", "Negative log-likelihood",
       "How little probability the posterior gives to the truth: lower is better, and the exact "
       "posterior, where it is known, is the best there is.",
       nll_figure}};
  if (any_gap)
    out.push_back({"gap", "Gap to the exact posterior",
                   "The NLL minus that of the exact posterior on the same test sets: zero is perfect, and the "
                   "band shows two standard errors.",
                   gap_figure});
  out.push_back({"rmae", "Error of the posterior mean",
                 "RMAE: how far the posterior mean is from the truth on average, over the width of the prior.",
                 rmae_figure});
  out.push_back({"acauc", "Calibration",
                 "ACAUC: how far the shares of truths inside credible intervals are from what the intervals promise. "
                 "Location z and width z: whether truths lie off the posteriors' centres, and whether posteriors are "
                 "too narrow (above zero) or too wide. Rank p: whether the truth's ranks are even. A calibrated "
                 "estimator stays inside the bands.",
                 acauc_figure});
  return out;
}

std::vector<ScoreFigure> DensityScoring::own_figures(const std::vector<std::string>& targets) const {
  return {{"coverage", "Coverage",
           "The share of truths inside central credible intervals against what the intervals "
           "promise: a calibrated posterior stays inside the band around the diagonal.",
           coverage_figure},
          {"ranks", "Ranks of the truth",
           "Where the truth falls among posterior samples: flat when calibrated, a valley when "
           "the posterior is too narrow, a hill when it is too wide.",
           [targets](const std::vector<Metrics>& metrics) { return ranks_figure(metrics.front(), targets); }}};
}

std::vector<Table::Column> DensityScoring::compared_columns() const {
  return {{"minus first / nat"}, {"means apart / sd"}, {"RMAE"},   {"ACAUC"},
          {"location z"},        {"width z"},          {"rank p"}, {"calibration", false}};
}

std::vector<std::string> DensityScoring::compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                                        bool is_first) const {
  const EvaluationRow& one = metrics.rows[row];
  std::string apart;
  for (const double value : is_first ? std::vector<double>() : means_apart_at(first, metrics, one.n))
    apart += (apart.empty() ? "" : ", ") + number_text(value, 2);
  std::vector<std::string> cells = {is_first        ? ""
                                    : apart.empty() ? "–"
                                                    : apart,
                                    number_text(one.rmae, 4), number_text(one.acauc, 4)};
  for (std::string& text : rank_test_texts(one)) cells.push_back(std::move(text));
  cells.push_back(calibration_text(calibration(one, calibration_limits(metrics.rows))));
  return cells;
}

nlohmann::json DensityScoring::compared_document(const EvaluationRow&) const {
  return nlohmann::json::object();
}

}  // namespace pairs
