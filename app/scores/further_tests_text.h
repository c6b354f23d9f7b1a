#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/eval/metrics/evaluation_row.h"

// The further tests of an evaluation, in addition to those of calibration.h: the distribution function of each target's
// ranks, TARP, the two-sample test and coverage by region (core/eval/calibration/further_tests.h).
namespace pairs {

// A test at one set size beyond its borderline limit or, with `rejects`, its limit of miscalibration; the limits are
// those of calibration.h, whose family includes these tests.
struct FurtherFault {
  std::int64_t n = 0;
  std::string test;  // "TARP"; "ECDF of θ₁" with several targets
  double p_value = 0;
  bool rejects = false;
};
struct FurtherVerdict {
  std::int64_t tests = 0;            // judged together; excludes sizes of extrapolation and of a finite pool
  std::vector<FurtherFault> faults;  // rejections first
  bool rejects() const { return !faults.empty() && faults.front().rejects; }
};
// `sizes`: as in calibration_limits.
FurtherVerdict further_verdict(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets,
                               std::size_t sizes = 0);

// For the end of a verdict: "; rejected by C2ST at N = 10 (p 2e-06)", "; borderline by TARP at N = 1 (p 0.0002)"; "" if
// no test is beyond its limit.
std::string further_clause(const FurtherVerdict& verdict);
// A sentence on all tests; "" without any.
std::string further_sentence(const FurtherVerdict& verdict);
// {"tests", "faults": [{"n", "test", "p", "rejects"}]}.
nlohmann::json further_document(const FurtherVerdict& verdict);
// The tests as a table, then that sentence; "" without any.
std::string further_text(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets, int indent);

}  // namespace pairs
