#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/estimator.h"
#include "core/train/cache/cache_groups.h"

namespace pairs {

class Ranks;

// Writes the cache of one generation: every observation is simulated, embedded in chunks and summed in float64, so that
// memory does not depend on N. If the task draws observations from pools, their members are embedded first, into
// run_file::pool in the same folder, and sets are means of these embeddings (embedded_pool.h). Continues after the last
// complete unit if the file exists; each set has a checksum. Generation 0 holds training and validation sets and the
// aggregate statistics; later ones hold only training sets. With several `ranks` the first creates the pool and the
// file with its statistics while the others wait; each then writes its share of the sets in place, and finally the
// first makes any that are incomplete. Throws Stopped between units once `stop()` returns true.
struct CacheProgress {
  std::int64_t done, total;                   // sets
  double observations;                        // of the sets made by this call
  std::int64_t members = 0, all_members = 0;  // embedded members of the pools; 0: there are none
};
void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress, Ranks* ranks = nullptr);

}  // namespace pairs
