#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The home folder of whoever runs this: $HOME where that is an absolute path, else the one that the system knows; empty
// where there is none.
std::filesystem::path home_folder();

// The folder that $`variable` names ("XDG_CONFIG_HOME"), or `fallback` below the home folder; a relative path in the
// variable does not count (XDG Base Directory Specification). Empty where there is no home folder either.
std::filesystem::path xdg_folder(const char* variable, const std::string& fallback);

}  // namespace pairs
