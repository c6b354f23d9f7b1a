#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// True when the run came with the program, so that nothing may be written into its folder.
bool is_shipped(const std::filesystem::path& run);

// The folder of real data: the option when given, else $PAIRS_DATA, else "".
std::string data_folder(const std::string& option);

}  // namespace pairs
