#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/eval/evaluation_row.h"

// What the tests beside those of calibration.h say of an evaluation: the distribution function of each target's ranks,
// TARP, the two-sample test and coverage by region (core/eval/further_tests.h).
namespace pairs {

// One of them at one set size beyond its borderline limit or, where `rejects`, its limit of miscalibration: those of
// calibration.h, in whose family these tests are.
struct FurtherFault {
  std::int64_t n = 0;
  std::string test;  // "TARP"; "ECDF of θ₁" where there are several targets
  double p_value = 0;
  bool rejects = false;
};
struct FurtherVerdict {
  std::int64_t tests = 0;            // that are judged together; sizes of extrapolation and of a finite pool are not
  std::vector<FurtherFault> faults;  // rejections first
  bool rejects() const { return !faults.empty() && faults.front().rejects; }
};
// `sizes`: as in calibration_limits.
FurtherVerdict further_verdict(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets,
                               std::size_t sizes = 0);

// For the end of a verdict: "; rejected by C2ST at N = 10 (p 2e-06)", "; borderline by TARP at N = 1 (p 0.0002)"; "" where
// no test is beyond its limit.
std::string further_clause(const FurtherVerdict& verdict);
// A sentence on all of them; "" without any.
std::string further_sentence(const FurtherVerdict& verdict);
// {"tests", "faults": [{"n", "test", "p", "rejects"}]}.
nlohmann::json further_document(const FurtherVerdict& verdict);
// The tests as a table for people, then that sentence; "" without any.
std::string further_text(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets, int indent);

}  // namespace pairs
