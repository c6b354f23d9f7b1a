#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/posterior/frequentist/frequentist.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/report/figure.h"

namespace pairs {

// Confidence intervals of a set from a run's marginal likelihood, with the figure that shows their construction.
struct SetConfidence {
  FrequentistAnswer answer;
  Figure figure;
  std::string text;  // the results, and the toys used
  std::string note;  // caption of the figure
};

// Computes them for the first n observations, which are embedded. From `counts`, the numbers of toys and nodes are
// used; everything else follows from the task, n and the set's conditions. `step` receives the number of finished toys
// and the total. Throws Error if the task has no frequentist results, Stopped once `keep_going` returns false.
SetConfidence set_confidence(const SetPosterior& posterior, std::int64_t n, const ToyPlan& counts,
                             const std::function<bool()>& keep_going,
                             const std::function<void(std::int64_t, std::int64_t)>& step);

}  // namespace pairs
