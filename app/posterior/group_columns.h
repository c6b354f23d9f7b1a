#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

// Throws the Error of so many rows, the first at `place`, that do not say to which set they belong.
[[noreturn]] void fail_nameless(const ErrorPlace& place, std::int64_t rows);

// The columns that tell what is given of a set beside its observations; none where nothing is, or it is known of all
// sets. Throws a usage error where one is missing.
std::vector<std::string> columns_of_given(const ManySets& sets, const TaskInfo& info,
                                          const std::vector<std::string>& names, const std::string& where);

}  // namespace pairs
