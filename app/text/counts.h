#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Whole numbers from "1,2,1e5" or "1 2 5"; the sentence of the usage error names `option`.
std::vector<std::int64_t> parse_counts(const std::string& text, const std::string& option);

// The same for set sizes, each named once.
std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& option);

}  // namespace pairs
