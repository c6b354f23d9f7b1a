#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/table_reader.h"
#include "tasks/own/task_file.h"

// The parts that a task.toml is read in. All throw a usage Error that names file (`where`) and line.
namespace pairs::own {

// An end that is none, and a number that the file leaves out.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// What runs' copies of the file add behind its text.
inline constexpr std::string_view kRecordedHead = "\n# Recorded with the run.\n[recorded]\n";

// Whether a text holds letters, digits and the characters of `more` alone.
bool is_word(std::string_view text, std::string_view more);
// Refuses a name that is too long to be shown.
void check_length(const TableReader& table, const char* key, const std::string& name);

// The tables [[key]], at most as many as can be learnt.
std::vector<const toml::table*> quantities_of(TableReader& top, const char* key);
// One of [[targets]], [[nuisances]] and [[given]], added to the task; `names`: those that are taken.
void read_target(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task);
void read_nuisance(const toml::table& source, const std::string& where, std::vector<std::string>& names,
                   TaskFile& task);
void read_given(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task);

// [x]: what an observation is, how files write it and how networks see it.
void read_x(const toml::table& source, const std::string& where, TaskFile& task);

// [recorded], which copies have: what was measured of the prior; where the original lies and how x is standardised go
// into the task.
std::vector<Measured> read_recorded(const toml::table& source, const std::string& where, TaskFile& task);

}  // namespace pairs::own
