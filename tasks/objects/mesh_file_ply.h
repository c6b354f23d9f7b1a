#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Assimp allocates what a PLY file's header announces. Throws Error unless the bytes behind the header can hold that
// many elements (a face being a triangle at least), and unless each of the header's lines is one of those that PLY
// knows.
void check_ply_counts(std::string_view bytes, const std::string& where);

}  // namespace pairs
