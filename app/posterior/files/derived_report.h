#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/posterior/source/derived.h"
#include "app/text/table.h"
#include "core/eval/metrics/cells.h"

namespace pairs {

// Adds derived quantities to the table and, as "derived", to the document: expression, mean, standard deviation,
// quantiles, intervals of this kind, the share of undefined samples and, as "exact", the exact posterior's values. Adds
// nothing if there are none.
void report_derived(const std::vector<DerivedNumbers>& all, IntervalKind interval, nlohmann::json& document,
                    Table& table);

}  // namespace pairs
