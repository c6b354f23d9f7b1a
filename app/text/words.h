#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// The text with A to Z as small letters; bytes of other characters stay.
std::string small_letters(std::string_view text);
// Whether two words are the same but for capitals of A to Z.
bool same_word(std::string_view a, std::string_view b);
// Whether `text` holds `part`, regardless of capitals.
bool holds_words(std::string_view text, std::string_view part);

// The command as a shell runs it: "pairs --batch …" begins with the path of `program`, this program's own file, unless
// the folders of `search`, the shell's PATH, hold that as `pairs`. Other texts stay as they are.
std::string runnable_command(const std::string& command, const std::filesystem::path& program,
                             const std::string& search);

}  // namespace pairs
