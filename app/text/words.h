#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// The text with A to Z in lower case; bytes of other characters stay.
std::string small_letters(std::string_view text);
// Whether two words are equal except for the case of A to Z.
bool same_word(std::string_view a, std::string_view b);
// Whether `text` contains `part`, ignoring case.
bool holds_words(std::string_view text, std::string_view part);

// The command for a shell: "pairs --batch …" becomes the path of `program`, this program's own file, unless the folders
// of `search`, the shell's PATH, contain it as `pairs`. Other texts stay unchanged.
std::string runnable_command(const std::string& command, const std::filesystem::path& program,
                             const std::string& search);

}  // namespace pairs
