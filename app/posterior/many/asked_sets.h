#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/many/many_sets.h"
#include "app/posterior/question/question.h"
#include "app/posterior/set/set_stream.h"
#include "core/train/run/run.h"

namespace pairs {

// Many sets to evaluate by a run.
struct AskedSets {
  // Its set is the file or folder, how to read it, and conditions of all sets; no member. Sets smaller than its n are
  // used completely. Its seed also makes the observations of items.
  Question question = {};
  bool exact = false;  // whether to add the exact posterior of each
  bool force = false;  // SetSizeChoice::force
  bool operator==(const AskedSets&) const = default;
};
// The sets and how to evaluate them. The run outlives it.
struct SetsQuestion {
  std::unique_ptr<SetStream> sets;
  ManySetsQuestion asked;
  bool items = false;  // each is made from an item (listed_items.h)
};
// Throws Error, a usage error for choices that exclude each other.
SetsQuestion sets_question(const LoadedRun& run, const AskedSets& asked);

// The run with everything that its results depend on.
AskedRun asked_run(const LoadedRun& run, const SetsQuestion& question);

// Describes run and data for files of many posteriors (SetsHead::reported).
nlohmann::json sets_about(const LoadedRun& run, const AskedSets& asked, const SetsQuestion& question);

// The caveats of a row in a few words: "out of distribution, 2 warnings"; "" if there are none.
std::string to_know_text(const SetRow& row);

}  // namespace pairs
