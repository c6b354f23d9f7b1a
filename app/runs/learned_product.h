#pragma once

#include <string>

#include "core/eval/learned_product.h"
#include "core/train/run.h"

namespace pairs {

// Why a run has no learned product: what its estimator says (core/eval/learned_product.h), or that it would extrapolate
// to N = 1; "" where it has one.
std::string no_learned_product(const LoadedRun& run);

}  // namespace pairs
