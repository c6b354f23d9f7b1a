#pragma once

#include <string>

#include "core/eval/references/learned_product.h"
#include "core/train/run/run.h"

namespace pairs {

// Why a run has no learned product: because of its estimator (core/eval/references/learned_product.h), or because it
// would extrapolate to N = 1; "" if it has one.
std::string no_learned_product(const LoadedRun& run);

}  // namespace pairs
