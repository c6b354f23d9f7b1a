#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Whole numbers from "1,2,1e5" or "1 2 5". The usage error calls them `name`, and writes `before` in front of its
// example: "--sizes " on the command line, nothing in a field of the window.
std::vector<std::int64_t> parse_counts(const std::string& text, const std::string& name, const std::string& before);

// The same for set sizes, each named once.
std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& name, const std::string& before);

}  // namespace pairs
