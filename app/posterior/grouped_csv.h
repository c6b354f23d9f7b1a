#pragma once

#include <memory>

#include "app/posterior/set_stream.h"

namespace pairs {

// The sets of a CSV file of points by the values of a column, as open_sets says. Rows whose set is not named are one
// set more, the last, which cannot be read.
std::unique_ptr<SetStream> open_grouped_csv(const ManySets& sets, const TaskInfo& info);

}  // namespace pairs
