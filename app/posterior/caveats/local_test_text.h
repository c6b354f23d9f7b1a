#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/eval/calibration/two_sample.h"
#include "core/task.h"

namespace pairs {

// The p-value at or below which a local test reports miscalibration: one in a hundred correct posteriors.
inline constexpr double kLocallyOff = 0.01;

// Throws a usage error if no local test is possible.
void check_local_test(const TaskInfo& info, std::int64_t sets);
// The result of a local test of the posterior of n observations, in a sentence or two.
std::string local_test_text(const LocalTest& test, const TaskInfo& info, std::int64_t n);
// {"p", "statistic", "sets", "shift", "spread", "text"}; shift and spread have one number per target.
nlohmann::json local_test_document(const LocalTest& test, const TaskInfo& info, std::int64_t n);

}  // namespace pairs
