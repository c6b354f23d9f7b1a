#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Parses whole numbers from "1,2,1e5" or "1 2 5". A usage error uses `name` for them, and puts `before` in front of its
// example: "--sizes " on the command line, nothing for a field of the window.
std::vector<std::int64_t> parse_counts(const std::string& text, const std::string& name, const std::string& before);

// Parses set sizes, each of which may occur only once.
std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& name, const std::string& before);

}  // namespace pairs
