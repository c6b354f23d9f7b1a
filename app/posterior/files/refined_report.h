#pragma once

#include <nlohmann/json.hpp>

#include "app/posterior/answer/posterior_answer.h"
#include "app/text/table.h"

namespace pairs {

// Adds which posterior is shown, "run" or "refined", to its document as "source"; and with a refined posterior, to the
// document and the table, that one and how it was made ("refined", "refined_by"), and "run_alone" where it comes first.
void report_refined(const PosteriorAnswer& answer, const TaskInfo& info, IntervalKind interval,
                    nlohmann::json& document, Table& table);

// Which posterior comes first and why, then how the refined one was sampled, two sentences; "" without one.
std::string refined_line(const PosteriorAnswer& answer);

}  // namespace pairs
