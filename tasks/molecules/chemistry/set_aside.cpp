#include "tasks/molecules/chemistry/set_aside.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/text/text.h"

namespace pairs {

std::string_view set_aside_text(SetAsideReason reason) {
  switch (reason) {
    case SetAsideReason::empty:
      return "no SMILES";
    case SetAsideReason::syntax:
      return "not a valid SMILES or record";
    case SetAsideReason::chemistry:
      return "an impossible valence or aromatic ring";
    case SetAsideReason::element:
      return "a metal or another element that is not read";
    case SetAsideReason::size:
      return "too many atoms";
    case SetAsideReason::fragments:
      return "several fragments in one conformer";
    case SetAsideReason::composition:
      return "no conformer with the atoms of the SMILES";
    case SetAsideReason::conformer:
      return "no conformer could be embedded";
    case SetAsideReason::duplicate:
      return "the same molecule again";
    case SetAsideReason::damaged:
      return "damaged from there on";
  }
  return "unknown reason";
}

std::string set_aside_line(const SetAside& item) {
  std::string line = item.place;
  if (!item.text.empty()) line += fmt::format(" ({})", printable(item.text));
  line += fmt::format(": {}", set_aside_text(item.reason));
  if (!item.detail.empty()) line += fmt::format(": {}", printable(item.detail, 200));
  return line;
}

std::string set_aside_summary(const SetAsideCounts& counts) {
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (total == 0) return "none set aside";
  std::string text = fmt::format("{} set aside", total);
  const char* separator = ": ";
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    text += fmt::format("{}{} {}", separator, counts[k], set_aside_text(static_cast<SetAsideReason>(k)));
    separator = ", ";
  }
  return text;
}

}  // namespace pairs
