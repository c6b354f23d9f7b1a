#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tasks/own/stored/set_file.h"
#include "tasks/own/stored/set_split.h"

namespace pairs {

// A stored set: which file it lies in, and which of its sets it is.
struct StoredSet {
  std::uint32_t file = 0, set = 0;
};

// All stored sets, divided and ordered by what they hold: neither names nor number nor order of the files matter. Takes
// eight bytes a set.
struct SetOrder {
  std::array<std::vector<StoredSet>, 3> sets;  // of each Split, the largest first, then by hashes of their content
  std::int64_t thetas = 0;                     // how many different θ there are
  std::int64_t repeated = 0;                   // sets whose θ another set has, too
  std::int64_t copies = 0;  // sets that stand there more often than once (same θ, ψ, size and first observation): one
                            // of them is used
  std::vector<std::string> copied;  // "49 of the 49 sets of b.npz stand in a.npz, too": the largest first, a few
  std::uint64_t content = 0;        // of θ and sizes of all sets, and ψ and the first observation of up to 256

  std::int64_t count() const;
};

// Reads all θ, and of sets that share it ψ and the first observation. Where a part would be left empty, the θ of the
// lowest hash among the training's goes there. Throws Error where θ or such an observation is not finite, and where
// there are fewer than three θ.
SetOrder order_sets(const std::vector<std::unique_ptr<SetFile>>& files, const SimulationShape& shape);

}  // namespace pairs
