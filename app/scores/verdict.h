#pragma once

#include <string>
#include <vector>

#include "core/eval/evaluation_row.h"

namespace pairs {

// A test of the truth's ranks that a calibrated estimator meets and this row does not.
enum class FaultKind { location, width, ranks };
struct CalibrationFault {
  std::size_t row = 0, target = 0;
  FaultKind kind = FaultKind::location;
  double value = 0;  // z of location or width, p of ranks
};
// All of them, rows in their order; of a row the location comes before the width and the ranks. A row has one where
// calibration() finds it neither unknown nor within noise: by the same limits, and with a finite pool by the location
// beside what the pool does and without the ranks.
std::vector<CalibrationFault> calibration_faults(const std::vector<EvaluationRow>& rows);

// What an evaluation says of a run, in a line.
struct EvaluationVerdict {
  bool bad = false;
  std::string text;   // "Calibrated at 6 of 7 sizes; N = 1: truths lie too high"; "" when nothing can be said
  std::string brief;  // "6 of 7 sizes calibrated": for narrow places
  friend bool operator==(const EvaluationVerdict&, const EvaluationVerdict&) = default;
};
// `targets`: labels, of which a fault names its own where there are several. Of images: how much of the mean image's
// error is left at the largest size, and at which sizes the posterior mean is worse than that image.
EvaluationVerdict evaluation_verdict(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets);

// Whether a row's predicted images are worse than the mean image, beyond four standard errors.
bool worse_than_mean_image(const EvaluationRow& row);

}  // namespace pairs
