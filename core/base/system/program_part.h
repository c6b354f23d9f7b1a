#pragma once

#include <filesystem>
#include <string_view>

namespace pairs {

// The path of a part of the program that is opened on demand: the file of that name next to the running executable or,
// in an installation, in ../lib; "" if there is none.
std::filesystem::path program_part(std::string_view name);

}  // namespace pairs
