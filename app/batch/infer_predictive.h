#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/posterior/set_posterior.h"
#include "app/posterior/within_sets.h"
#include "core/train/run.h"

namespace pairs::batch {

// Refuses what no predictive test can be made of: a usage error. Says, also on stderr, where the simulator has changed
// since the run was trained; else "".
std::string check_predictive(const LoadedRun& run, std::int64_t sets);
// The predictive test of the first n observations beside so many simulated sets, with its progress on stderr. Throws
// Stopped.
SetPredictiveTest infer_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::int64_t seed);


// What `infer` tests unasked: whether the first n observations differ among themselves as sets of the model do, and where
// they do not, a brief predictive test, which describes how the set differs and decides nothing.
struct UsualTests {
  std::optional<WithinTest> within;
  std::optional<SetPredictiveTest> predictive;
  std::string why_not;  // a clause, where the set was not tested
};
// Whether and by how many sets of how many observations a set is tested is a function of the task, the weights and n.
// Only a simulator that needs more than kLongestUsual seconds is given up, and the clause reports that.
UsualTests usual_tests(const SetPosterior& posterior, std::int64_t n, std::int64_t seed);
inline constexpr double kLongestUsual = 120;

}  // namespace pairs::batch
