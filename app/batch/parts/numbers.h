#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs::batch {

// Validators of an option's value in digits: NaN, infinity, other notations and numbers out of range are usage errors.
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator number(double low, double high);

// Parses "1,-0.5,2e3", the argument of `option`: finite numbers; none for "". Throws a usage error.
std::vector<double> parse_numbers(const std::string& text, const char* option);

struct PixelSize {
  int width, height;
};
// Parses "512x384", the argument of `option`, each side between the two sizes. Throws a usage error.
PixelSize parse_size(const std::string& text, const char* option, PixelSize least, PixelSize most);

}  // namespace pairs::batch
