#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pairs {

// Makes foreign text safe to print inside a sentence: control and non-UTF-8 bytes become \xNN, and text beyond `limit`
// bytes becomes "...".
std::string printable(std::string_view text, std::size_t limit = 60);

// A readable byte count: "12 bytes", "3.4 MiB".
std::string byte_text(std::uint64_t bytes);

// "1 column", "3 columns".
std::string counted(std::size_t count, std::string_view noun);

// Quotes `text` as one word of a shell if it holds more than letters, digits and ._/-+=:,@%; control characters use
// $'…' of bash, zsh and POSIX (2024).
std::string shell_word(std::string_view text);

}  // namespace pairs
