#pragma once

#include <array>
#include <string>

namespace pairs {

// Which of a run's two posteriors answers: its own, or the one that its learned likelihood refines
// (app/posterior/source/refined_source.h).
enum class SourceWish {
  best,     // at each N the better one comes first, where the run compared them; a refined one with the own beside it
  run,      // the run's own alone
  refined,  // the refined one first, with the run's own beside it
  both      // the run's own first, with the refined one beside it
};
inline constexpr std::array<const char*, 4> kSourceWords = {"best", "run", "refined", "both"};

// "best", "run", "refined" or "both".
std::string source_word(SourceWish wish);
// Throws a usage Error that names `what` for another word.
SourceWish source_wish(const std::string& word, const std::string& what);

}  // namespace pairs
