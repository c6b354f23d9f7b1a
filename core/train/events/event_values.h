#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/events/events.h"

namespace pairs {

// The value of an event's key; `missing`, 0 or "" if it has none, as in logs of other versions.
double event_number(const Event& event, const char* key, double missing = NAN);
std::int64_t event_count(const Event& event, const char* key);
std::string event_text(const Event& event, const char* key = "text");
// A list of numbers, NaN for elements that are not numbers; empty if there is none.
std::vector<double> event_numbers(const Event& event, const char* key);

// The text of an event "prepared": "prepared 15,000 conformers in 2 min 30 s".
std::string prepared_text(const Event& event);

// The text of an event "taken": "pretrain and cache are those of circle-pairs-s1".
std::string taken_text(const Event& event);

// Whether the event begins or resumes a stage, after which the log repeats earlier entries.
bool begins_stage(const Event& event);

}  // namespace pairs
