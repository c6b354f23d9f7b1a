#include "app/kinds/range_text.h"

#include <fmt/format.h>

#include <numbers>

namespace pairs {

std::string degrees_text(const render::Range& radians, const char* sign) {
  constexpr double degrees = 180 / std::numbers::pi;
  return fmt::format("{:.4g}{} to {:.4g}{}", radians.low * degrees, sign, radians.high * degrees, sign);
}

std::string range_text(const render::Range& range) {
  return fmt::format("{:.4g} to {:.4g}", range.low, range.high);
}

}  // namespace pairs
