#pragma once

#include <cstdint>

#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// A figure of the observations of a set.
Figure samples_figure(const Task& task, std::int64_t set_index);

}  // namespace pairs
