#pragma once

#include <memory>

#include "app/posterior/set/set_stream.h"
#include "tasks/table_file.h"

namespace pairs {

// The sets of a table (tasks/table_file.h), read by a program if its columns name one, separated by the numbers or
// texts of a column, as in open_sets. Memory holds the sets' names and the rows of one set, or of as many as fit into
// 64 MiB if they are scattered.
std::unique_ptr<SetStream> open_grouped_table(const ManySets& sets, const TaskInfo& info);

// The sets in the groups of an HDF5 file.
std::unique_ptr<SetStream> open_sets_in_groups(const ManySets& sets, std::unique_ptr<TableGroups> groups,
                                               const TaskInfo& info);

}  // namespace pairs
