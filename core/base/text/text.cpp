#include "core/base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "core/base/text/hidden_text.h"

namespace pairs {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none, or for surrogates and overlong
// forms.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

// Whether a text holds invalid bytes or invisible characters.
bool hides(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7f || is_hidden_character(code_of_utf8(text.substr(i, length))))
      return true;
    i += length;
  }
  return false;
}

}  // namespace

// Hidden characters become \uNNNN (hidden_text.h).
std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) return out + "...";
    const std::size_t length = utf8_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::uint32_t code = length == 0 ? 0 : code_of_utf8(text.substr(i, length));
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
      ++i;
    } else if (is_hidden_character(code)) {
      out += code > 0xFFFF ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
      i += length;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string byte_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) value /= 1024, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shell_word(std::string_view text) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("._/-+=:,@%", c) != nullptr; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  if (hides(text)) {
    std::string quoted = "$'";
    while (!text.empty()) {
      const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
      const std::string_view one = text.substr(0, length);
      if (hides(one))
        for (const char c : one)
          quoted += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      else
        quoted += one == "'" || one == "\\" ? "\\" + std::string(one) : std::string(one);
      text.remove_prefix(length);
    }
    return quoted + "'";
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace pairs
