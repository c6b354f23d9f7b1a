#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tasks/own/stored/set_file.h"
#include "tasks/own/stored/set_split.h"

namespace pairs {

// A stored set: its file, and its index there.
struct StoredSet {
  std::uint32_t file = 0, set = 0;
};

// All stored sets, divided and sorted by their content, independent of the names, number and order of the files. Takes
// eight bytes per set.
struct SetOrder {
  std::array<std::vector<StoredSet>, 3> sets;  // of each Split, the largest first, then by hashes of their content
  std::int64_t thetas = 0;                     // number of different θ
  std::int64_t repeated = 0;                   // sets that share their θ with another set
  std::int64_t copies = 0;          // sets that occur repeatedly (same θ, ψ, size and observations); one is used
  std::vector<std::string> copied;  // a few of "49 of the 49 sets of b.npz stand in a.npz, too", the largest first
  std::uint64_t content = 0;  // checksum of θ and sizes of all sets, and ψ and the first observation of up to 256

  std::int64_t count() const;
};

// Reads all θ and, for sets that share it, ψ and the first observation; and, where these are also the same, as many
// observations as have 65,536 numbers. If a part would be empty, it receives the training θ with the lowest hash.
// `copied`: whether sets may be copies of each other. Throws Error if θ or such an observation is not finite, and if
// there are fewer than three θ.
SetOrder order_sets(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape, bool copied);

}  // namespace pairs
