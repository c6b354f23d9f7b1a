#pragma once

#include "app/kinds/target_room.h"

namespace pairs {

// Numbers as in TargetRoom::report: mean, sd, quantiles and intervals of a kind; and a table row for each parameter,
// labeled `who`.
nlohmann::json numbers_document(const std::vector<TargetNumbers>& numbers, IntervalKind interval);
void add_numbers(Table& table, const TaskInfo& info, const std::string& who, const std::vector<TargetNumbers>& numbers,
                 IntervalKind interval);
// "0.004 to 0.151", "below 0.131": the 90 % interval.
std::string most_text(const TargetNumbers& numbers, IntervalKind interval);
// {"direction": 360}: the periods of periodic targets by name.
nlohmann::json periods_document(const TaskInfo& info);
// Sentences about intervals of periodic targets that pass an end of the range ("-12.4 is 347.6 of direction, which
// repeats after 360"), and about upper limits, which they do not have; "" if there are none.
std::string around_text(const TaskInfo& info, const std::vector<TargetNumbers>& numbers, IntervalKind interval);

}  // namespace pairs
