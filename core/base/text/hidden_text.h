#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pairs {

// Whether a character is invisible and changes how text looks: controls beyond ASCII, marks that change the direction
// of text, zero-width blanks, line separators, tags.
constexpr bool is_hidden_character(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0xAD || code == 0x61C || code == 0x180E ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

// The code of a well-formed UTF-8 sequence.
constexpr std::uint32_t code_of_utf8(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return lead;
  std::uint32_t code = lead & (0xFFu >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(sequence[i]) & 0x3Fu);
  return code;
}

}  // namespace pairs
