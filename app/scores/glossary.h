#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pairs {

// A term of the window's tables and legends: its meaning in a sentence, and its equation.
struct Term {
  const char* name;      // as in tables and legends, without units
  const char* sentence;  // for newcomers
  const char* equation;  // in plain characters; "" if there is none
};

std::span<const Term> glossary();
// The term in a heading or legend entry ("gap / nat", "ACAUC (noise)", "noise, 95 %: PAIRS"); null if there is none, as
// for the names of runs.
const Term* find_term(std::string_view text);
// Its sentence and equation, one line each; "" if there is no such term.
std::string explanation(std::string_view text);
// Only the equation; "" if there is none.
std::string equation(std::string_view text);

}  // namespace pairs
