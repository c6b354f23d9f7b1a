#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/posterior/set_stream.h"
#include "core/base/error.h"

namespace pairs {

// How the columns of a table of many sets are used; `where` names the table in errors.

// The place of the column that names the set among these. `named`: the file names them.
std::size_t place_of_group(const std::vector<std::string>& names, bool named, const std::string& group,
                           const std::string& where);

// The columns that hold the observations: those that are asked for; of a file that names columns, those of the task,
// and else all but the one at `place`, which names the set. Throws a usage Error where that is one of them.
std::vector<std::string> columns_of_x(const ManySets& sets, const TaskInfo& info, const std::vector<std::string>& names,
                                      bool named, std::size_t place, const std::string& where);

// Whether what stands in a row's place for the name of its set is one: a text that is not empty, nor "nan".
bool names_a_set(std::string_view text);
// Throws the Error of so many rows, the first at `place`, that do not say to which set they belong.
[[noreturn]] void fail_nameless(const ErrorPlace& place, std::int64_t rows);

// A name as lists show it, and as a person gives it again: bytes that are no text and characters that do not show are
// escaped (\xNN, \uNNNN), and so is a backslash before what would read as such an escape, so that no two names look
// the same. Long ones are cut, with a checksum of the whole in place of the rest.
std::string set_name(std::string_view name);
// Whether a person who writes `given` means the set that lists call `name`: as it is listed, or as the file has it.
bool means_set(std::string_view given, std::string_view name);

// The columns that hold the conditions of a set; none where it has none, or where they are known for all sets. Throws
// a usage error where one is missing.
std::vector<std::string> columns_of_given(const ManySets& sets, const TaskInfo& info,
                                          const std::vector<std::string>& names, const std::string& where);

// The columns of a table that may group its rows into sets: those that the observations of `task` are not
// made of (`read.chosen`: by a person's choice). Of the file no more than its head is read, so that a wrong row does
// not matter; empty where it is no table, or has no others.
std::vector<std::string> spare_columns(const std::filesystem::path& file, const Task& task, const TableColumns& read);

}  // namespace pairs
