#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The user's home folder: $HOME if that is an absolute path, else the one that the system knows; empty if there is
// none.
std::filesystem::path home_folder();

// The folder in the environment variable `variable` ("XDG_CONFIG_HOME"), or `fallback` below the home folder; a
// relative path in the variable is ignored (XDG Base Directory Specification). Empty if there is no home folder either.
std::filesystem::path xdg_folder(const char* variable, const std::string& fallback);

}  // namespace pairs
