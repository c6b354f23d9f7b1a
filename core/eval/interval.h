#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/eval/cells.h"

namespace pairs {

// Cells' shortest interval of a mass: the highest-density interval of a density with one peak. Nothing (NaN) where the
// density's mass is not a positive number.
Interval shortest_interval(const Cells& cells, const std::vector<double>& density, double level);
// The same of draws, sorted upwards: between two of them.
Interval shortest_interval(const std::vector<double>& sorted, double level);

// The intervals of kIntervalLevels of a density on cells, and of draws, each of every kind.
Intervals cell_intervals(const Cells& cells, const std::vector<double>& density);
Intervals draw_intervals(std::vector<double> draws);

// All numbers of draws, two or more; the mode is that of their kernel density.
TargetNumbers draw_numbers(const std::vector<double>& draws);

// What kinds are called on the command line and in documents, and by people.
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
// Of a word. Throws a usage Error, naming `option`, for another one.
IntervalKind interval_kind(const std::string& word, const std::string& option);

}  // namespace pairs
