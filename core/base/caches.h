#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The folder where things are kept that cost time to make and can be made again, shared by all runs: $PAIRS_CACHE, else
// pairs-studio below $XDG_CACHE_HOME, else ~/.cache/pairs-studio. It need not exist. Throws Error where there is not
// even a home folder.
std::filesystem::path caches_folder();

// The regular files that lie in a folder, with size and time of change, one a line: what is kept of a program there
// serves as long as this text stays the same. "" where the folder cannot be read.
std::string folder_state(const std::filesystem::path& folder);

}  // namespace pairs
