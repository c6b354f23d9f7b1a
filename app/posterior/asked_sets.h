#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/many_sets.h"
#include "app/posterior/set_choice.h"
#include "app/posterior/set_stream.h"
#include "core/train/run.h"

namespace pairs {

// The number of observations of a file's set to use.
struct SetSizeChoice {
  std::int64_t n = 0;   // the first n; 0: all
  bool random = false;  // a random subset of the size seen in training, if the set is larger
  bool force = false;   // allows more than in training, up to the task's largest N
  bool operator==(const SetSizeChoice&) const = default;
};
// The largest set that can be evaluated.
std::int64_t largest_size(const LoadedRun& run, bool force);
// Throws Error, naming the set, if the run does not accept so many observations.
void check_set_size(const LoadedRun& run, bool force, const std::string& name, std::int64_t size);
// Throws a usage Error if the set holds fewer than n observations.
void check_held(std::int64_t n, const std::string& name, std::int64_t held);
// The N for a file's set that holds so many observations. Throws Error, naming the set, if it cannot be used.
std::int64_t file_set_size(const LoadedRun& run, const SetSizeChoice& choice, const std::string& name,
                           std::int64_t held);

// Many sets to evaluate by a run.
struct AskedSets {
  SetChoice set = {};       // file or folder, how to read it, and conditions of all sets; no member
  SetSizeChoice size = {};  // sets smaller than its n are used completely
  std::uint64_t seed = 1;   // of samples, and of observations made from items
  bool exact = false;       // whether to add the exact posterior of each
  bool operator==(const AskedSets&) const = default;
};
// Whether the file or folder, with its column `group` if any, holds many sets for the task rather than one, or lists
// items.
bool holds_many_sets(const Task& task, const SetChoice& set);
// How to read tables and files of the sets; the task outlives it.
ManySets many_sets(const Task& task, const SetChoice& set);

// The sets and how to evaluate them. The run outlives it.
struct SetsQuestion {
  std::unique_ptr<SetStream> sets;
  ManySetsQuestion asked;
  bool things = false;  // each is made from an item (listed_things.h)
};
// Throws Error, a usage error for choices that exclude each other.
SetsQuestion sets_question(const LoadedRun& run, const AskedSets& asked);

// The run with everything that its results depend on.
AskedRun asked_run(const LoadedRun& run, const SetsQuestion& question);

// Describes run and data for files of many posteriors (SetsHead::told).
nlohmann::json sets_told(const LoadedRun& run, const AskedSets& asked, const SetsQuestion& question);

// The caveats of a row in a few words: "out of distribution, 2 warnings"; "" if there are none.
std::string to_know_text(const SetRow& row);

}  // namespace pairs
