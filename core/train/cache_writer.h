#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/estimator.h"
#include "core/train/cache_groups.h"

namespace pairs {

class Ranks;

// Writes the cache of one generation: every observation simulated, embedded in chunks and reduced in float64, so that
// memory does not depend on N. Where the task draws observations from pools, their members are embedded first, into
// run_file::pool beside the cache, and sets are means of those (embedded_pool.h). Continues after the last whole unit
// when the file is there; a checksum stands behind each set. Generation 0 holds training and validation sets and the
// aggregate statistics; later ones training sets alone. Of several `ranks` the first makes the pool and the file with
// its statistics, while the others wait; each then writes its share of the sets in place, and the first makes what it
// does not find whole in the end. Throws Stopped between units when `stop()` says so.
struct CacheProgress {
  std::int64_t done, total;                   // sets
  double observations;                        // of the sets made by this call
  std::int64_t members = 0, all_members = 0;  // of the pools that are embedded; 0: there are none
};
void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress, Ranks* ranks = nullptr);

}  // namespace pairs
