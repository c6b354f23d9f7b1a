#include "core/report/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace pairs {

std::string count_text(std::int64_t value) {
  std::string digits = fmt::format("{}", value < 0 ? -value : value);
  for (std::int64_t at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return value < 0 ? "−" + digits : digits;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(0.0, seconds));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 3.6e9) return "–";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", std::floor(100 * share)) : "";
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "–";
  std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? "−" + text : text;
}

std::string with_error_text(double value, double error, int digits) {
  if (std::isnan(value) || std::isnan(error)) return number_text(value, digits);
  return fmt::format("{} ± {}", number_text(value, digits), number_text(error, digits));
}

std::string day_text(std::int64_t seconds) {
  const auto when = static_cast<std::time_t>(seconds);
  std::tm local{};
  ::localtime_r(&when, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

std::string flop_text(double gflop) {
  // A value that rounds to a thousand belongs to the next unit.
  if (gflop < 999.5) return fmt::format("{:.3g} GFLOP", gflop);
  if (gflop < 999.5e3) return fmt::format("{:.3g} TFLOP", gflop / 1e3);
  return fmt::format("{:.3g} PFLOP", gflop / 1e6);
}

}  // namespace pairs
