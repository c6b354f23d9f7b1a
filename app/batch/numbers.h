#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace pairs::batch {

// Checks of an option's value, written in digits: NaN, infinity, other notations and numbers beyond the range are usage
// errors.
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator number(double low, double high);

struct PixelSize {
  int width, height;
};
// "512x384" as `option` was given it, each side within the two sizes. Throws a usage error.
PixelSize parse_size(const std::string& text, const char* option, PixelSize least, PixelSize most);

}  // namespace pairs::batch
