#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pairs::gui {

// "6,000" -> 6000; none unless it is a whole number of at least `least`.
std::optional<std::int64_t> typed_count(std::string text, std::int64_t least = 1);

}  // namespace pairs::gui
