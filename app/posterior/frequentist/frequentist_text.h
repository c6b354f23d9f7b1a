#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/frequentist/frequentist.h"

// Frequentist results as text and documents.
namespace pairs {

nlohmann::json frequentist_document(const FrequentistAnswer& answer);
// The estimate, a table of levels, and the result for the null value; its words ("no signal") may be "".
std::string frequentist_text(const TaskInfo& info, const FrequentistAnswer& answer, const std::string& null_words);
// The results in a few short lines.
std::string frequentist_lines(const TaskInfo& info, const FrequentistAnswer& answer, const std::string& null_words);
// The words for a plan's null value if it is the task's; else "".
std::string null_words(const Task& task, const ToyPlan& plan);
// The toys' nuisances and conditions as clauses that each begin with a comma; "" for a task without them.
std::string toy_values_text(const Frequentist& answers);

// `limits`: expected results at the null value, whose upper limits are reported; null without a null value.
nlohmann::json expected_document(const Expected& at, const Expected* limits, const std::vector<double>& levels);
std::string expected_text(const TaskInfo& info, const Expected& at, const Expected* limits,
                          const std::vector<double>& levels);

// `exact`: the same points from the exact likelihood, or none.
nlohmann::json coverage_document(const std::vector<CoveragePoint>& points, const std::vector<CoveragePoint>& exact);
std::string coverage_text(const TaskInfo& info, const std::vector<CoveragePoint>& points,
                          const std::vector<CoveragePoint>& exact);

}  // namespace pairs
