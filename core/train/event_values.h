#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/events.h"

namespace pairs {

// What an event tells under a key; `missing`, 0 or "" where it tells no such thing, as logs of other versions may not.
double event_number(const Event& event, const char* key, double missing = NAN);
std::int64_t event_count(const Event& event, const char* key);
std::string event_text(const Event& event, const char* key = "text");
// A list of numbers, NaN for what is none of them; empty where it tells no such thing.
std::vector<double> event_numbers(const Event& event, const char* key);

// What an event "prepared" tells: "prepared 15,000 conformers in 2 min 30 s".
std::string prepared_text(const Event& event);

// What an event "taken" tells: "pretrain and cache are those of circle-pairs-s1".
std::string taken_text(const Event& event);

// Whether it begins a stage, or goes on with it, and so tells again what stands in the log.
bool begins_stage(const Event& event);

}  // namespace pairs
