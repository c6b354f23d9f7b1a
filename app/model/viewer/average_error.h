#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/evaluation_row.h"

namespace pairs::model {

// What squared error a network of images makes over the test sets of an evaluation, on average over pixels.
struct AverageError {
  std::int64_t n = 0, sets = 0;  // the size that was evaluated
  double sample = NAN;           // of one sample
  double mean = NAN;             // of the posterior mean, without the noise of drawing it
  double prior = NAN;            // of the mean image of the prior
  // The part of `mean` that the observations leave undetermined, 0 to 1: the variance of the samples over it. A
  // sample's error is that variance v more than the mean's: sample = mean + v. Of an exact posterior mean = v, since
  // the truth is one more draw; what `mean` has beyond v is the network's own error. As far as the samples' spread can
  // be trusted: of samples that spread too much it is 1.
  double undetermined = NAN;
};

// At the evaluated size nearest to n, as a ratio; nothing where no row holds squared errors.
std::optional<AverageError> average_error(const std::vector<EvaluationRow>& rows, std::int64_t n);

}  // namespace pairs::model
