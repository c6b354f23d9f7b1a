#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/eval/metrics/cells.h"

namespace pairs {

// The shortest interval on cells with a given mass: the highest-density interval of a unimodal density. NaN unless the
// density's mass is positive.
Interval shortest_interval(const Cells& cells, const std::vector<double>& density, double level);
// The shortest interval between two samples, which are sorted in ascending order.
Interval shortest_interval(const std::vector<double>& sorted, double level);

// The intervals of every kind at kIntervalLevels, from a density on cells and from samples.
Intervals cell_intervals(const Cells& cells, const std::vector<double>& density);
Intervals draw_intervals(std::vector<double> draws);

// All numbers from two or more samples; the mode is that of their kernel density estimate.
TargetNumbers draw_numbers(const std::vector<double>& draws);

// The names of the kinds on the command line and in documents, and in the window.
struct IntervalName {
  IntervalKind kind;
  const char *word, *title;
};
inline constexpr std::array<IntervalName, kIntervalKinds> kIntervalNames = {
    {{IntervalKind::central, "central", "central"},
     {IntervalKind::highest_density, "hpd", "highest density"},
     {IntervalKind::upper_limit, "upper", "upper limit"}}};
inline const char* interval_word(IntervalKind kind) {
  return kIntervalNames[static_cast<std::size_t>(kind)].word;
}
inline const char* interval_title(IntervalKind kind) {
  return kIntervalNames[static_cast<std::size_t>(kind)].title;
}
// The kind of that name. Throws a usage Error, naming `option`, for an unknown one.
IntervalKind interval_kind(const std::string& word, const std::string& option);

}  // namespace pairs
