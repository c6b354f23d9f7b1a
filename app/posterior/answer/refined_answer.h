#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/source/refined_source.h"

namespace pairs {

// Adds the refined posterior of the observations x with conditions [1, g] or undefined to an answer that holds the
// run's own: the source kRefined, a warning if both disagree, or a problem that says why the set has none. Where the
// wish wants it first, it takes the place of the run's own, which is then one of the others.
// `sequential_pairs`: RefineOptions::sequential_pairs. Throws Stopped once `keep_going` returns false.
void add_refined(const Refiner& refiner, SourceWish wish, const Observations& x, const torch::Tensor& given,
                 std::uint64_t seed, const std::function<bool()>& keep_going, PosteriorAnswer& answer,
                 double sequential_pairs = kPairsOfASet);

}  // namespace pairs
