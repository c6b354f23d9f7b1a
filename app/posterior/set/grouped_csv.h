#pragma once

#include <memory>

#include "app/posterior/set/set_stream.h"

namespace pairs {

// The sets of a CSV file of points, separated by the values of a column, as in open_sets. Rows without a set name form
// one more set, the last, which cannot be read.
std::unique_ptr<SetStream> open_grouped_csv(const ManySets& sets, const TaskInfo& info);

}  // namespace pairs
