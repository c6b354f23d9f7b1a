#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tasks/parts/things.h"

namespace pairs {

// Which parts (ThingPart) at least three of the things have that a run learnt from, and how new a thing like these may
// be.
struct KnownParts {
  std::vector<std::uint64_t> hashes;  // ascending; empty where nothing is known of them
  double most = 0;                    // the news() that at most 4 % of things held out in training exceed

  bool known() const { return !hashes.empty(); }
  // The weight of a thing's other parts, over the root of that of all: a large thing has some by chance, and a small
  // one that has no other is new altogether.
  double news(const std::vector<ThingPart>& parts) const;
  bool unlike(const std::vector<ThingPart>& parts) const { return known() && news(parts) > most; }
};

// Of what a task trains on; nothing where its things have no parts. `keep_going()` is asked between things; false throws
// Stopped.
KnownParts learn_parts(const Things& things, const std::function<bool()>& keep_going);

// As FILE.npz: "hashes" [H] int64, "most" [1] float64. Reading gives nothing where there is no file, and throws Error
// where it is damaged.
void write_known_parts(const std::filesystem::path& file, const KnownParts& parts);
KnownParts read_known_parts(const std::filesystem::path& file);

// "it is unlike training, hardly any of which has N in C[N+](=O)[O-], …", a clause, naming the heaviest; "" where it
// is like training or nothing is known.
std::string new_parts_text(const KnownParts& known, const std::vector<ThingPart>& parts);

}  // namespace pairs
