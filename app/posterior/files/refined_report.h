#pragma once

#include <nlohmann/json.hpp>

#include "app/posterior/answer/posterior_answer.h"
#include "app/text/table.h"

namespace pairs {

// Adds what refined the shown posterior, or stands beside it, to its document and table: "refined", "refined_by",
// "source", and "run_alone" where the refined one comes first. Nothing without a refined posterior.
void report_refined(const PosteriorAnswer& answer, const TaskInfo& info, IntervalKind interval,
                    nlohmann::json& document, Table& table);

// Which posterior comes first and why, then how the refined one was sampled, two sentences; "" without one.
std::string refined_line(const PosteriorAnswer& answer);

}  // namespace pairs
