#pragma once

#include <sched.h>

#include <vector>

namespace pairs::batch {

// The cores of this process, in as equal parts as they make; with fewer cores than parts they are shared.
std::vector<cpu_set_t> core_shares(int count);

}  // namespace pairs::batch
