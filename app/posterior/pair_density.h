#pragma once

#include <vector>

#include "core/eval/cells.h"

namespace pairs {

// A joint density of two quantities on a grid; row i belongs to cell i of the first.
struct PairDensity {
  Cells first, second;
  std::vector<double> density;
};

// The kernel estimate of the density that some pairs of draws come from: a Gaussian of Scott's width with the draws'
// own correlation, so that narrow ridges stay narrow. Cells hold all but some thousandths of the draws. Throws Error
// for columns of different lengths and for fewer than two draws.
PairDensity pair_density(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace pairs
