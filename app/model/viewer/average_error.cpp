#include "app/model/viewer/average_error.h"

#include <algorithm>
#include <cmath>

namespace pairs::model {

std::optional<AverageError> average_error(const std::vector<EvaluationRow>& rows, std::int64_t n) {
  const auto away = [n](const EvaluationRow& row) {
    return std::abs(std::log(static_cast<double>(row.n) / static_cast<double>(std::max<std::int64_t>(n, 1))));
  };
  const EvaluationRow* nearest = nullptr;
  for (const EvaluationRow& row : rows)
    if (row.n > 0 && std::isfinite(row.mse) && (nearest == nullptr || away(row) < away(*nearest))) nearest = &row;
  if (nearest == nullptr) return std::nullopt;
  AverageError out{nearest->n, nearest->sets, nearest->mse, nearest->mse_posterior, nearest->mse_prior, NAN};
  if (out.mean > 0) out.undetermined = std::clamp((out.sample - out.mean) / out.mean, 0.0, 1.0);
  return out;
}

}  // namespace pairs::model
