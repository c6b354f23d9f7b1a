#include "app/batch/parts/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) return std::nullopt;
  return value;
}

template <class Number>
CLI::Validator within(Number low, Number high, const char* what) {
  const std::string range = fmt::format("{} to {}", low, high);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const auto value = number_in(text, low, high);
        if (!value) return fmt::format("{} is not {} from {}", printable(text), what, range);
        text = fmt::format("{}", *value);  // CLI11 takes 010 for 8
        return "";
      },
      range);
}

}  // namespace

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return within(low, high, "a whole number");
}

CLI::Validator number(double low, double high) {
  return within(low, high, "a number");
}

std::vector<double> parse_numbers(const std::string& text, const char* option) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  std::vector<double> values;
  for (std::size_t from = 0; from <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const auto value = number_in(std::string_view(text).substr(from, comma - from), -kLargest, kLargest);
    if (!value) fail_usage("{} {} is not numbers with commas between them", option, printable(text, 300));
    values.push_back(*value);
    from = comma + 1;
  }
  return values;
}

PixelSize parse_size(const std::string& text, const char* option, PixelSize least, PixelSize most) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto width = number_in(std::string_view(text).substr(0, cross), least.width, most.width);
  const auto height =
      number_in(std::string_view(text).substr(std::min(cross + 1, text.size())), least.height, most.height);
  if (!width || !height)
    fail_usage("{0} {1} is not a width and a height from {2}x{3} to {4}x{5}; write for example {0} 1280x800", option,
               printable(text), least.width, least.height, most.width, most.height);
  return {*width, *height};
}

}  // namespace pairs::batch
