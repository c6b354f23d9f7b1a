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

// How many observations of a set of a file are used.
struct SetSizeChoice {
  std::int64_t n = 0;   // the first so many; 0: all
  bool random = false;  // as many as the run saw in training, drawn by a seed, where a set holds more
  bool force = false;   // more than it saw, up to the task's largest N
  bool operator==(const SetSizeChoice&) const = default;
};
// The largest set that is asked about.
std::int64_t largest_size(const LoadedRun& run, bool force);
// Throws Error, calling the set `name`, where the run is not asked about so many observations.
void check_set_size(const LoadedRun& run, bool force, const std::string& name, std::int64_t size);
// Throws a usage Error where a set holds fewer observations than are asked for.
void check_held(std::int64_t n, const std::string& name, std::int64_t held);
// N of a set of a file that holds so many observations. Throws Error, calling the set `name`, where it cannot be used.
std::int64_t file_set_size(const LoadedRun& run, const SetSizeChoice& choice, const std::string& name,
                           std::int64_t held);

// Many sets that a run is asked about.
struct AskedSets {
  SetChoice set = {};       // the file or folder, how it is read, and what is given of every set; no member of it
  SetSizeChoice size = {};  // of smaller sets than its n all is used
  std::uint64_t seed = 1;   // of samples, and of observations that are made of things
  bool exact = false;       // the exact posterior of each as well
  bool operator==(const AskedSets&) const = default;
};
// Whether the file or folder of the set, with its column `group` or without, holds many sets for the task rather than
// one, or lists things.
bool holds_many_sets(const Task& task, const SetChoice& set);
// How tables and files of the sets are read; the task outlives it.
ManySets many_sets(const Task& task, const SetChoice& set);

// The sets, and how they are asked about. The run outlives it.
struct SetsQuestion {
  std::unique_ptr<SetStream> sets;
  ManySetsQuestion asked;
  bool things = false;  // each is made of a thing (listed_things.h)
};
// Throws Error, a usage error where the choices do not go together.
SetsQuestion sets_question(const LoadedRun& run, const AskedSets& asked);

// The run as it is asked, with all that its answers rest on.
AskedRun asked_run(const LoadedRun& run, const SetsQuestion& question);

// Describes run and data for files of many posteriors (SetsHead::told).
nlohmann::json sets_told(const LoadedRun& run, const AskedSets& asked, const SetsQuestion& question);

// What is to be known of an answered row, in a few words: "out of distribution, 2 warnings"; "" where there is nothing.
std::string to_know_text(const SetRow& row);

}  // namespace pairs
