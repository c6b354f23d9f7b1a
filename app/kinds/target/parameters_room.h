#pragma once

#include "app/kinds/target_room.h"

namespace pairs {

// As `report` tells it: mean, sd, quantiles and intervals of a kind; and a row for each parameter that names `who` says
// so.
nlohmann::json numbers_document(const std::vector<TargetNumbers>& numbers, IntervalKind interval);
void add_numbers(Table& table, const TaskInfo& info, const std::string& who, const std::vector<TargetNumbers>& numbers,
                 IntervalKind interval);
// "0.004 to 0.151", "below 0.131": of 90 %.
std::string most_text(const TargetNumbers& numbers, IntervalKind interval);

}  // namespace pairs
