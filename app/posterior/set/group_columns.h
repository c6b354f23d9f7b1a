#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/posterior/set/set_stream.h"
#include "core/base/text/error.h"

namespace pairs {

// The columns of a table of many sets; `where` names the table in errors.

// The index of the column that names the set. `named`: the file names its columns.
std::size_t place_of_group(const std::vector<std::string>& names, bool named, const std::string& group,
                           const std::string& where);

// The columns of the observations: the requested ones; else, in a file with column names, those of the task; else all
// except the one at `place`, which names the set. Throws a usage Error if that is one of them.
std::vector<std::string> columns_of_x(const ManySets& sets, const TaskInfo& info, const std::vector<std::string>& names,
                                      bool named, std::size_t place, const std::string& where);

// Whether a row's text names a set: it is neither empty nor "nan".
bool names_a_set(std::string_view text);
// Throws the Error about so many rows, the first at `place`, that do not name their set.
[[noreturn]] void fail_nameless(const ErrorPlace& place, std::int64_t rows);

// A name as printed in lists and typed by the user: invalid bytes and invisible characters are escaped (\xNN, \uNNNN),
// as is a backslash before what would read as an escape, so that different names look different. Long names are cut,
// with a checksum in place of the rest.
std::string set_name(std::string_view name);
// Whether `given` denotes the set listed as `name`, as listed or as in the file.
bool means_set(std::string_view given, std::string_view name);

// The columns of the conditions of a set; none if there are none or they are known for all sets. Throws a usage error
// if one is missing.
std::vector<std::string> columns_of_given(const ManySets& sets, const TaskInfo& info,
                                          const std::vector<std::string>& names, const std::string& where);

// The columns of a table that may group its rows into sets: those not used by the observations of `task`
// (`read.chosen`: the user's choice). Reads only the head of the file, so that a bad row does not matter; empty if the
// file is not a table or has no other columns.
std::vector<std::string> spare_columns(const std::filesystem::path& file, const Task& task, const TableColumns& read);

}  // namespace pairs
