#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/set_posterior.h"
#include "app/posterior/verdict.h"
#include "app/posterior/within_sets.h"

namespace pairs {

// What is tested unasked: whether the first n observations differ among themselves as sets of the model do, and where
// they do not, a brief predictive test, which describes how the set differs and decides nothing.
struct UsualTests {
  std::optional<WithinTest> within;
  std::optional<SetPredictiveTest> predictive;
  std::string why_not;  // a clause, where the set was not tested

  // With that of a predictive test which was asked for, where there is one.
  ModelVerdict verdict(const Typicality& typicality, const PredictiveP& asked = {}) const;
};
// Whether and by how many sets of how many observations a set is tested is a function of the task, the weights and n.
// Only a simulator that needs more than kLongestUsual seconds is given up, as soon as its pace shows that, and the clause
// reports it. Without `brief` no brief predictive test describes a set. Throws Stopped once keep_going returns false.
UsualTests usual_tests(const SetPosterior& posterior, std::int64_t n, std::uint64_t seed,
                       const std::function<bool()>& keep_going, bool brief = true);
inline constexpr double kLongestUsual = 30;

// The p-value of a predictive test; NaN where none was made.
PredictiveP p_of(const std::optional<SetPredictiveTest>& test);

// The warnings of an answer beside its verdict: those of the posterior that the verdict does not withdraw, the verdict's
// own, and several peaks of a density. A file of samples is marked as warned where there is one.
std::vector<PosteriorWarning> answer_warnings(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                              const ModelVerdict& verdict);

}  // namespace pairs
