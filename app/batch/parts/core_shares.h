#pragma once

#include <sched.h>

#include <vector>

namespace pairs::batch {

// Divides the cores of this process as equally as possible; with fewer cores than parts they are shared.
std::vector<cpu_set_t> core_shares(int count);

}  // namespace pairs::batch
