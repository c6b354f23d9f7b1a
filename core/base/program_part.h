#pragma once

#include <filesystem>
#include <string_view>

namespace pairs {

// A part of the program that is opened on demand: the file of that name beside the running executable or, where it is
// installed, in ../lib; "" where there is none.
std::filesystem::path program_part(std::string_view name);

}  // namespace pairs
