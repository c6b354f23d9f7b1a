#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "app/posterior/files/sets_output.h"

namespace pairs {

// A LaTeX table with the package booktabs, one row per set: mean ± sd and the 90 % interval, with the decimals of two
// digits of the sd.
std::unique_ptr<SetsOutput> latex_output(const std::filesystem::path& file, const SetsHead& head);

// A text for LaTeX: special characters escaped, Greek letters and subscripts ("θ₁") as mathematics.
std::string latex_text(std::string_view text);

// The number of decimals for two digits of a positive sd, negative before the point: 0.0423 -> 3, 12.3 -> 0, 1230 ->
// -2. And a value so rounded: (1234.5, -2) -> "1200".
int decimals_of(double sd);
std::string rounded(double value, int decimals);

}  // namespace pairs
