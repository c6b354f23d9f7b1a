#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "app/posterior/sets_output.h"

namespace pairs {

// A table of LaTeX with the package booktabs, a row a set: mean ± sd and the interval of 90 %, in as many decimals as
// two digits of the sd have.
std::unique_ptr<SetsOutput> latex_output(const std::filesystem::path& file, const SetsHead& head);

// A text as LaTeX sets it: what is special to it escaped, Greek letters and lowered digits ("θ₁") as mathematics.
std::string latex_text(std::string_view text);

// How many decimals two digits of a positive sd have, below zero where they stand before the point: 0.0423 -> 3,
// 12.3 -> 0, 1230 -> -2. And a value so rounded: (1234.5, -2) -> "1200".
int decimals_of(double sd);
std::string rounded(double value, int decimals);

}  // namespace pairs
