#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Assimp allocates what a PLY file's header announces. Throws Error unless the bytes behind the header can hold that
// many elements (a face being a triangle at least), unless each of the header's lines is one of those that PLY knows,
// and unless each list's entries can follow its count (a negative one, which Assimp would read as four billion, cannot
// be; a list lies in one line of a text). Elements that the file lacks at its end are left to Assimp.
void check_ply_counts(std::string_view bytes, const std::string& where);

}  // namespace pairs
