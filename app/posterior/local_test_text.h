#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/eval/two_sample.h"
#include "core/task.h"

namespace pairs {

// The p-value from which on a local test says that a posterior is off: one in a hundred right ones shows it.
inline constexpr double kLocallyOff = 0.01;

// Refuses, as a usage error, what no local test can be made of.
void check_local_test(const TaskInfo& info, std::int64_t sets);
// What a local test of the posterior of n observations says, a sentence or two.
std::string local_test_text(const LocalTest& test, const TaskInfo& info, std::int64_t n);
// {"p", "statistic", "sets", "shift", "spread", "text"}, shift and spread one number a target.
nlohmann::json local_test_document(const LocalTest& test, const TaskInfo& info, std::int64_t n);

}  // namespace pairs
