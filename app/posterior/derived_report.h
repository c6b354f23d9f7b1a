#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/posterior/derived.h"
#include "app/text/table.h"
#include "core/eval/cells.h"

namespace pairs {

// Adds what a posterior says of derived quantities to the table and, under "derived", to the document: of each its
// expression, mean, sd, quantiles and intervals of a kind, the share of draws at which it is no finite number, and the
// same of the exact posterior under "exact". Nothing where there are none.
void report_derived(const std::vector<DerivedNumbers>& all, IntervalKind interval, nlohmann::json& document,
                    Table& table);

}  // namespace pairs
