#pragma once

#include <string>
#include <string_view>

namespace pairs {

// The text with A to Z as small letters; bytes of other characters stay.
std::string small_letters(std::string_view text);
// Whether two words are the same but for capitals of A to Z.
bool same_word(std::string_view a, std::string_view b);
// Whether `text` holds `part`, regardless of capitals.
bool holds_words(std::string_view text, std::string_view part);

}  // namespace pairs
