#include "app/text/words.h"

#include <algorithm>
#include <system_error>

#include "core/base/text/text.h"

namespace pairs {
namespace {

char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_letter(char a, char b) {
  return small_letter(a) == small_letter(b);
}

}  // namespace

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), small_letter);
  return out;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

bool holds_words(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

std::string runnable_command(const std::string& command, const std::filesystem::path& program,
                             const std::string& search) {
  constexpr std::string_view kName = "pairs", kBegins = "pairs --batch ";
  if (!command.starts_with(kBegins) || program.filename() != kName) return command;
  for (std::size_t from = 0; from <= search.size();) {
    const std::size_t to = std::min(search.find(':', from), search.size());
    const std::filesystem::path found = std::filesystem::path(search.substr(from, to - from)) / kName;
    std::error_code error;
    // A shell runs the first file of that name.
    if (to > from && std::filesystem::exists(found, error)) {
      if (std::filesystem::equivalent(found, program, error)) return command;
      break;
    }
    from = to + 1;
  }
  return shell_word(program.string()) + command.substr(kName.size());
}

}  // namespace pairs
