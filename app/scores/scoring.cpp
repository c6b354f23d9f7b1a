#include "app/scores/scoring.h"

#include <algorithm>
#include <cmath>

#include "app/scores/density_scoring.h"
#include "app/scores/image_scoring.h"

namespace pairs {

const Scoring& scoring_of(const std::vector<EvaluationRow>& rows) {
  static const DensityScoring densities;
  static const ImageScoring images;
  const bool image =
      std::any_of(rows.begin(), rows.end(), [](const EvaluationRow& row) { return !std::isnan(row.mse_prior); });
  if (image) return images;
  return densities;
}

}  // namespace pairs
