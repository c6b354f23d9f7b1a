#include "app/scores/image_scoring.h"

#include <fmt/format.h>

namespace pairs {

const Score& ImageScoring::score() const {
  static const Score& mse = score_named("mse_posterior");
  return mse;
}

std::vector<double> ImageScoring::of_sets(const EvaluationRow& row, std::size_t count) const {
  return {row.set_mse_posterior.begin(), row.set_mse_posterior.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string ImageScoring::table(const std::vector<EvaluationRow>& rows, int indent) const {
  std::vector<Table::Column> columns = {{"N"}, {"sets"}, {"samples"}};
  for (const Score* one : scores_shown(&Score::printed))
    if (scores_by(*one)) columns.push_back({one->heading(one->printed)});
  Table table(columns);
  for (const EvaluationRow& row : rows) {
    std::vector<std::string> cells = {size_text(row), count_text(row.sets), count_text(row.samples)};
    for (const Score* one : scores_shown(&Score::printed))
      if (scores_by(*one)) cells.push_back(one->text(row, one->printed));
    table.add(std::move(cells));
  }
  return table.text(indent);
}

EvaluationVerdict ImageScoring::verdict(const std::vector<EvaluationRow>& rows, const VerdictContext&) const {
  return image_verdict(rows);
}

std::string ImageScoring::other_figure(const std::string& figure, const std::string& task) const {
  return fmt::format(
      "The figure {} is of densities of parameters, but the target of task {} is an image; draw the figure mse", figure,
      task);
}

}  // namespace pairs
