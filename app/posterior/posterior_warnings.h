#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

enum class WarningKind {
  other_data,
  extrapolation,
  only_pretrained,
  learnt_nothing,
  subset,
  left_out,
  cut_file,
  thing,
  tried,
  own,  // what a thing tells of itself lies far outside
  outside,
  given,    // beyond what training saw
  members,  // of an ensemble that disagree
  peaks,    // a density has several, so that one interval does not describe it
  exact     // the exact posterior of the set is known and is another one
};
// What is to be known of a posterior before it is believed, a sentence: the same wherever it is told.
struct PosteriorWarning {
  WarningKind kind;
  std::string text;
  bool operator==(const PosteriorWarning&) const = default;
};

// Of a run, whatever it is asked: only pretrained, learnt nothing.
std::vector<PosteriorWarning> training_warnings(const LoadedRun& run, bool learnt_nothing);
// Of a run that is asked about a set of n observations: more, or others, than it saw.
std::vector<PosteriorWarning> size_warnings(const LoadedRun& run, std::int64_t n);
// Whether the run's training told so; false where its log cannot be read.
bool learnt_nothing(const LoadedRun& run);
// Of a set that grows beyond `most`.
std::string subset_text(const std::string& run, std::int64_t most);
std::string outside_text(const Typicality& typicality);

}  // namespace pairs
