#pragma once

#include <vector>

#include "core/eval/metrics/cells.h"

namespace pairs {

// A joint density of two quantities on a grid; row i belongs to cell i of the first.
struct PairDensity {
  Cells first, second;
  std::vector<double> density;
};

// The kernel density estimate of pairs of samples: a Gaussian of Scott's width with the samples' own correlation, so
// that narrow ridges stay narrow. The cells cover all but a few thousandths of the samples. Throws Error for columns of
// different lengths and for fewer than two samples.
PairDensity pair_density(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace pairs
