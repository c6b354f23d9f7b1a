#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/set_posterior.h"
#include "app/posterior/verdict.h"

namespace pairs {

// The predictive test that is made unasked.
struct UsualPredictive {
  std::optional<SetPredictiveTest> test;
  std::string why_not;  // a clause, where there is no test
};
// A brief test of the first n observations where simulating sets of the task is cheap: points, of which a hundred or all
// n can be compared. Stops after kUsualSeconds. Throws Stopped where keep_going returns false.
UsualPredictive usual_predictive(const SetPosterior& posterior, std::int64_t n, std::uint64_t seed,
                                 const std::function<bool()>& keep_going);
inline constexpr double kUsualSeconds = 20;

// The p-value of a predictive test; NaN where none was made.
PredictiveP p_of(const std::optional<SetPredictiveTest>& test);

// The warnings of an answer beside its verdict: those of the posterior that the verdict does not withdraw, the verdict's
// own, and several peaks of a density. A file of samples is marked as warned where there is one.
std::vector<PosteriorWarning> answer_warnings(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                              const ModelVerdict& verdict);

}  // namespace pairs
