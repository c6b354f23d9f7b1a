#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tasks/parts/items.h"

namespace pairs {

// The parts (ItemPart) that at least three training items have, and how novel an item of training may be.
struct KnownParts {
  std::vector<std::uint64_t> hashes;  // ascending; empty if unknown
  double most = 0;                    // the news() exceeded by at most 4 % of held-out training items

  bool known() const { return !hashes.empty(); }
  // The weight of an item's unknown parts divided by the root of the weight of all: a large item has some by chance; a
  // small item without known parts is entirely new.
  double news(const std::vector<ItemPart>& parts) const;
  bool unlike(const std::vector<ItemPart>& parts) const { return known() && news(parts) > most; }
};

// Learns the parts of a task's training items; nothing if they have none. `keep_going()` is called between items; false
// throws Stopped.
KnownParts learn_parts(const Items& items, const std::function<bool()>& keep_going);

// As FILE.npz: "hashes" [H] int64, "most" [1] float64. Reading returns nothing for a missing file and throws Error for
// a damaged one.
void write_known_parts(const std::filesystem::path& file, const KnownParts& parts);
KnownParts read_known_parts(const std::filesystem::path& file);

// "it is out of distribution, hardly any of which has N in C[N+](=O)[O-], …", a clause that names the heaviest part; ""
// if the item resembles training or nothing is known.
std::string new_parts_text(const KnownParts& known, const std::vector<ItemPart>& parts);

}  // namespace pairs
