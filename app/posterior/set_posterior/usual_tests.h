#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/set_posterior/set_posterior.h"

namespace pairs {

// The default tests: whether the first n observations differ among themselves as sets of the model do and, if they do
// not, a brief predictive test that describes how the set differs but does not affect the verdict.
struct UsualTests {
  std::optional<WithinTest> within;
  std::optional<SetPredictiveTest> predictive;
  std::string why_not;  // a clause, if the set was not tested

  // The verdict, including a predictive test that was requested, if any.
  ModelVerdict verdict(const Typicality& typicality, const PredictiveP& asked = {}) const;
};
// Whether and how a set is tested depends only on the task, the weights and n. A simulator that would need more than
// kLongestUsual seconds is abandoned as soon as its pace shows that, and the clause reports it. Without `brief`, no
// brief predictive test is made. Throws Stopped once keep_going returns false.
UsualTests usual_tests(const SetPosterior& posterior, std::int64_t n, std::uint64_t seed,
                       const std::function<bool()>& keep_going, bool brief = true);
inline constexpr double kLongestUsual = 30;

// The p-value of a predictive test; NaN if there is none.
PredictiveP p_of(const std::optional<SetPredictiveTest>& test);

// The warnings of an answer: those of the posterior that the verdict does not withdraw, the verdict's own, and several
// peaks of a density. If there are any, a file of samples is marked as warned.
std::vector<PosteriorWarning> answer_warnings(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                              const ModelVerdict& verdict);

}  // namespace pairs
