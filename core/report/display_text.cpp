#include "core/report/display_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/base/text/hidden_text.h"

namespace pairs::chart {
namespace {

// Bytes of the well-formed UTF-8 character at the front of `text`, 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF, beyond = code > 0x10FFFF;
  const bool not_xml = code == 0xFFFE || code == 0xFFFF || (code >= 0x80 && code < 0xA0);
  return overlong || surrogate || beyond || not_xml ? 0 : length;
}

}  // namespace

std::string display_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto lead = static_cast<std::uint8_t>(text[0]);
    if (length == 0 || lead == 0x7F || (lead < 0x20 && lead != '\n' && lead != '\r' && lead != '\t'))
      shown += "\uFFFD";
    else if (lead < 0x20)
      shown += ' ';
    else if (const std::uint32_t code = code_of_utf8(text.substr(0, length)); is_hidden_character(code))
      shown += fmt::format("\\u{:04x}", code);
    else
      shown += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : display_text(text)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

}  // namespace pairs::chart
