#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace pairs {

// The form of a warning about a posterior: what is the matter (one clause), the number that shows how sure or how much,
// and what to do: "The posterior differs from the exact one (0.7 nat): use the exact one".
inline std::string caveat_text(std::string_view what, std::string_view number, std::string_view advice) {
  return fmt::format("{} ({}): {}", what, number, advice);
}

}  // namespace pairs
