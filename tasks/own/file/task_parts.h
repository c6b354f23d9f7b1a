#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields/table_reader.h"
#include "tasks/own/file/task_file.h"

// Readers of the parts of a task.toml. All throw a usage Error that names file (`where`) and line.
namespace pairs::own {

// A missing bound, and a number that the file omits.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// The head of what runs' copies add after the file's text.
inline constexpr std::string_view kRecordedHead = "\n# Recorded with the run.\n[recorded]\n";

// Whether a text consists of letters, digits and the characters of `more` only.
bool is_word(std::string_view text, std::string_view more);
// Refuses a name that is too long to be shown.
void check_length(const TableReader& table, const char* key, const std::string& name);

// The tables [[key]], limited to the number that can be inferred.
std::vector<const toml::table*> quantities_of(TableReader& top, const char* key);
// Each adds an entry of [[targets]], [[nuisances]] or [[conditions]] to the task; `names`: names in use.
void read_target(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task);
void read_nuisance(const toml::table& source, const std::string& where, std::vector<std::string>& names,
                   TaskFile& task);
void read_given(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task);

// [x]: the kind of observation, how files store it and how it is standardized.
void read_x(const toml::table& source, const std::string& where, TaskFile& task);

// [recorded] of copies: returns what was measured of the prior; stores the original's path and the standardization of x
// in the task.
std::vector<Measured> read_recorded(const toml::table& source, const std::string& where, TaskFile& task);

}  // namespace pairs::own
