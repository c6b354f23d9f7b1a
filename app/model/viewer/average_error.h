#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/metrics/evaluation_row.h"

namespace pairs::model {

// The squared error of a network of images over the test sets of an evaluation, averaged over pixels.
struct AverageError {
  std::int64_t n = 0, sets = 0;  // the evaluated size
  double sample = NAN;           // of one sample
  double mean = NAN;             // of the posterior mean, without sampling noise
  double prior = NAN;            // of the prior's mean image
  // The share of `mean` that the observations leave undetermined, 0 to 1: the variance v of the samples divided by
  // `mean`. A sample's error exceeds the mean's by v: sample = mean + v. For the exact posterior, mean = v, since the
  // truth is distributed as one more sample; the excess of `mean` over v is the network's own error. Reliable only as
  // far as the samples' spread is; for samples that spread too much, it is 1.
  double undetermined = NAN;
};

// The errors at the evaluated size whose ratio to n is closest to 1; none if no row has squared errors.
std::optional<AverageError> average_error(const std::vector<EvaluationRow>& rows, std::int64_t n);

}  // namespace pairs::model
