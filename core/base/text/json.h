#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pairs {

// Parses JSON from untrusted sources. The result is discarded (is_discarded) if the text is malformed or nests more
// than 64 levels, because copying and writing take one stack frame per level.
nlohmann::json parse_json(std::string_view text);

}  // namespace pairs
