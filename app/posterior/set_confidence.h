#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/posterior/frequentist.h"
#include "app/posterior/set_posterior.h"
#include "core/report/figure.h"

namespace pairs {

// Intervals of confidence of a set by a run's marginal likelihood, with the figure they are read off.
struct SetConfidence {
  FrequentistAnswer answer;
  Figure figure;
  std::string text;  // its lines, and which toys it rests on
  std::string note;  // of the figure
};

// Computes them for the first n observations, which are embedded. Of `counts` the numbers of toys and nodes are used; all
// else follows from the task, n, and what is given with the set. `step` hears how many toys are done, and of how many.
// Throws Error where the task has no frequentist answers, Stopped once `keep_going` returns false.
SetConfidence set_confidence(const SetPosterior& posterior, std::int64_t n, const ToyPlan& counts,
                             const std::function<bool()>& keep_going,
                             const std::function<void(std::int64_t, std::int64_t)>& step);

}  // namespace pairs
