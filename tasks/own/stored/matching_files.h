#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The sorted paths that match a pattern (*, ?, [abc]): in `folder`, whose own name is not a pattern, or anywhere if the
// pattern is absolute. Empty if there are none.
std::vector<std::filesystem::path> matching_files(const std::string& pattern, const std::filesystem::path& folder);

}  // namespace pairs
