#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pairs {

// Foreign text made safe to print inside a sentence: control and non-UTF-8 bytes become \xNN, and what goes beyond
// `limit` bytes becomes "...".
std::string printable(std::string_view text, std::size_t limit = 60);

// A byte count for people: "12 bytes", "3.4 MiB".
std::string byte_text(std::uint64_t bytes);

// "1 column", "3 columns".
std::string counted(std::size_t count, std::string_view noun);

// `text` as one word of a shell: quoted where it holds more than letters, digits and ._/-+=:,@%, in the way $'…' of bash,
// zsh and POSIX (2024) where it holds control characters.
std::string shell_word(std::string_view text);

}  // namespace pairs
