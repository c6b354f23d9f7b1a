#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs::batch {

// Checks of an option's value, written in digits: NaN, infinity, other notations and numbers beyond the range are usage
// errors.
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator number(double low, double high);

// "1,-0.5,2e3" as `option` was given it: finite numbers; none of "". Throws a usage error.
std::vector<double> parse_numbers(const std::string& text, const char* option);

struct PixelSize {
  int width, height;
};
// "512x384" as `option` was given it, each side within the two sizes. Throws a usage error.
PixelSize parse_size(const std::string& text, const char* option, PixelSize least, PixelSize most);

}  // namespace pairs::batch
