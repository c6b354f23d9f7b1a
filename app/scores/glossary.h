#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pairs {

// A word of the window's tables and legends: what it means, in a sentence, and the equation by which it is computed.
struct Term {
  const char* name;      // as it stands in tables and legends, without units
  const char* sentence;  // for newcomers
  const char* equation;  // in plain characters; "" where there is none
};

std::span<const Term> glossary();
// The term that a heading or a legend's entry speaks of ("gap / nat", "ACAUC (noise)", "noise, 95 %: PAIRS"); null when
// there is none, as for the names of runs.
const Term* find_term(std::string_view text);
// Its sentence and equation, a line each; "" when there is no such term.
std::string explanation(std::string_view text);
// The equation alone; "" when there is none.
std::string equation(std::string_view text);

}  // namespace pairs
