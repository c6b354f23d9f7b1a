#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The paths that a pattern (*, ?, [abc]) matches, in order: in `folder`, whose own name is no pattern, or where it is
// absolute anywhere. Empty where nothing does.
std::vector<std::filesystem::path> matching_files(const std::string& pattern, const std::filesystem::path& folder);

}  // namespace pairs
