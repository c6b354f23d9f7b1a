#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The folder of caches that all runs share, whose content can be made again: $PAIRS_CACHE, else pairs-studio below
// $XDG_CACHE_HOME, else ~/.cache/pairs-studio. It need not exist. Throws Error if there is no home folder either.
std::filesystem::path caches_folder();

// Lists the regular files of a folder with size and modification time, one per line. What is cached about a program in
// that folder is valid as long as this text stays the same. "" if the folder cannot be read.
std::string folder_state(const std::filesystem::path& folder);

}  // namespace pairs
