#pragma once

#include "app/scores/scoring.h"

namespace pairs {

// Squared errors per pixel of samples and of their mean, beside the mean image's.
class ImageScoring final : public Scoring {
 public:
  const Score& score() const override;
  std::vector<double> of_sets(const EvaluationRow& row, std::size_t count) const override;
  std::size_t scored_sets(const EvaluationRow& row) const override { return row.set_mse_posterior.size(); }
  std::string table(const std::vector<EvaluationRow>& rows, int indent) const override;
  EvaluationVerdict verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) const override;
  bool scores_by(const Score& score) const override { return score.needs == ScoreNeeds::images; }
  bool compares_means() const override { return false; }

 protected:
  std::string other_figure(const std::string& figure, const std::string& task) const override;
};

}  // namespace pairs
