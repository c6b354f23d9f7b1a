#pragma once

#include "app/scores/scoring.h"

namespace pairs {

// Negative log densities of the truth, and how calibrated posteriors are.
class DensityScoring final : public Scoring {
 public:
  const Score& score() const override;
  std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const override;
  std::size_t scored_sets(const EvaluationRow& row) const override { return row.log_prob.size(); }
  std::string table(const std::vector<EvaluationRow>& rows, int indent) const override;
  EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const override;
  bool scores_by(const Score& score) const override { return score.needs != ScoreNeeds::images; }
  std::vector<Table::Column> compared_columns() const override;
  std::vector<std::string> compared_cells(const Metrics& first, const Metrics& metrics, std::size_t row,
                                          bool is_first) const override;
  bool compares_means() const override { return true; }

 protected:
  std::string other_figure(const std::string& figure, const std::string& task) const override;
};

}  // namespace pairs
