#include "app/batch/parts/core_shares.h"

#include <algorithm>

namespace pairs::batch {

std::vector<cpu_set_t> core_shares(int count) {
  cpu_set_t all;
  CPU_ZERO(&all);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof all, &all) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all)) cores.push_back(core);
  std::vector<cpu_set_t> shares(static_cast<std::size_t>(count));
  const auto total = static_cast<int>(cores.size());
  for (int k = 0; k < count; ++k) {
    cpu_set_t& share = shares[static_cast<std::size_t>(k)];
    CPU_ZERO(&share);
    const int first = k * total / count, last = std::max(first + 1, (k + 1) * total / count);
    for (int at = first; at < std::min(last, total); ++at) CPU_SET(cores[static_cast<std::size_t>(at)], &share);
  }
  return shares;
}

}  // namespace pairs::batch
