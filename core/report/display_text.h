#pragma once

#include <string>
#include <string_view>

namespace pairs::chart {

// Makes foreign text drawable: bytes that are not UTF-8 and control characters become U+FFFD, line breaks and tabs
// become blanks.
std::string display_text(std::string_view text);

// display_text, escaped for the text and the quoted attributes of XML.
std::string xml_text(std::string_view text);

}  // namespace pairs::chart
