#pragma once

#include <filesystem>

namespace pairs {

// The folder where things are kept that cost time to make and can be made again, shared by all runs: $PAIRS_CACHE, else
// pairs-studio below $XDG_CACHE_HOME, else ~/.cache/pairs-studio. It need not exist. Throws Error where there is not
// even a home folder.
std::filesystem::path caches_folder();

}  // namespace pairs
