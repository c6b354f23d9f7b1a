#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/posterior/caveats/typicality.h"
#include "core/train/run/run.h"

namespace pairs {

enum class WarningKind {
  other_data,
  extrapolation,
  only_pretrained,
  learned_nothing,
  few_sets,  // stage 3 used few stored sets of the queried size
  subset,
  left_out,
  cut_file,
  item,
  validated,
  own,  // the item's own value lies far outside the posterior
  outside,
  given,    // beyond what training saw
  members,  // members of an ensemble disagree
  peaks,    // a density has several, so that one interval does not describe it
  exact,    // the exact posterior of the set is known and differs
  refined   // the posterior refined by a learned likelihood differs
};
// A caveat of a posterior, as one sentence; every front end shows this text.
struct PosteriorWarning {
  WarningKind kind;
  std::string text;
  bool operator==(const PosteriorWarning&) const = default;
};

// The training record from a run's log that posteriors must state.
struct TrainingRecord {
  bool learned_nothing = false;
  std::map<std::int64_t, std::int64_t> held = {};  // stored sets in stage 3's training, by size (RunProgress::held)
};
// The record; empty if the log cannot be read, since posteriors do not need it.
TrainingRecord training_record(const LoadedRun& run);

// The number of different stored sets of a size from which posteriors of that size come without a warning.
inline constexpr std::int64_t kEnoughSets = 300;

// Returns the warnings that hold for every posterior of a run: only pretrained, no better than the prior.
std::vector<PosteriorWarning> training_warnings(const LoadedRun& run, bool learned_nothing);
// Returns the warnings about a set of n observations: a size that was not in training, or one with few stored sets in
// stage 3.
std::vector<PosteriorWarning> size_warnings(const LoadedRun& run, std::int64_t n, const TrainingRecord& record);
// Warns that a growing set holds more than `most` observations.
std::string subset_text(const std::string& run, std::int64_t most);
std::string outside_text(const Typicality& typicality);

}  // namespace pairs
