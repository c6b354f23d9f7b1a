#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pairs {

// Reads JSON that others may have written. Discarded (is_discarded) where it is malformed or nests more than 64 levels:
// copying and writing take a stack frame a level.
nlohmann::json parse_json(std::string_view text);

}  // namespace pairs
