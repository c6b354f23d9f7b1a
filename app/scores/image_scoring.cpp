#include "app/scores/image_scoring.h"

#include <cmath>

#include "app/kinds/target/image_target_room.h"
#include "app/scores/score_figures.h"
#include "core/report/number_text.h"

namespace pairs {

const Score& ImageScoring::score() const {
  static const Score mse = {
      "MSE of the posterior mean",     "MSE of the mean", "mse_posterior", 5, &EvaluationRow::mse_posterior,
      &EvaluationRow::mse_posterior_se};
  return mse;
}

std::vector<double> ImageScoring::of_sets(const EvaluationRow& row, std::size_t count) const {
  return {row.set_mse_posterior.begin(), row.set_mse_posterior.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string ImageScoring::table(const std::vector<EvaluationRow>& rows, int indent) const {
  Table table({{"N"},
               {"sets"},
               {"samples"},
               {"MSE of a sample"},
               {"share of prior"},
               {"MSE of the posterior mean"},
               {"share of prior"},
               {"sd"},
               {"prior's MSE"}});
  for (const EvaluationRow& row : rows) {
    const auto share = [&](double error) {
      return std::isnan(error) || !(row.mse_prior > 0) ? "–" : number_text(error / row.mse_prior, 3);
    };
    table.add({size_text(row), count_text(row.sets), count_text(row.samples), with_error_text(row.mse, row.mse_se, 5),
               share(row.mse), with_error_text(row.mse_posterior, row.mse_posterior_se, 5), share(row.mse_posterior),
               number_text(row.sd, 4), number_text(row.mse_prior, 5)});
  }
  return table.text(indent);
}

EvaluationVerdict ImageScoring::verdict(const std::vector<EvaluationRow>& rows, const VerdictContext&) const {
  return image_verdict(rows);
}

void ImageScoring::check_figure(const std::string& figure, const std::string& task) const {
  ImageTargetRoom().check_figure(figure, task);
}

std::vector<ScoreFigure> ImageScoring::figures(const std::vector<Metrics>&) const {
  return {{"mse", "Error of predicted images",
           "Squared error per pixel of one sample and of the mean of all samples, freed of their "
           "noise: both fall as more is seen; without any observation they stand at the prior's.",
           mse_figure}};
}

std::vector<Table::Column> ImageScoring::compared_columns() const {
  return {{"minus first"}, {"share of prior"}, {"MSE of a sample"}};
}

std::vector<std::string> ImageScoring::compared_cells(const Metrics&, const Metrics& metrics, std::size_t row,
                                                      bool) const {
  const EvaluationRow& one = metrics.rows[row];
  return {number_text(one.mse_posterior / one.mse_prior, 3), with_error_text(one.mse, one.mse_se, 5)};
}

nlohmann::json ImageScoring::compared_document(const EvaluationRow& row) const {
  return {{"mse", row.mse}, {"mse_se", row.mse_se}, {"mse_prior", row.mse_prior}};
}

}  // namespace pairs
