#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// Whether the run came with the program, so that its folder is read-only.
bool is_shipped(const std::filesystem::path& run);

// The folder of real data: the option if given, else $PAIRS_DATA, else "".
std::string data_folder(const std::string& option);

}  // namespace pairs
