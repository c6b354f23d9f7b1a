#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Assimp allocates what a PLY file's header announces. Throws Error unless the bytes after the header can hold that
// many elements (a face is at least a triangle), each line of the header is known to PLY, and each list's entries can
// follow its count (a negative count, which Assimp would read as four billion, is refused; in a text a list occupies
// one line). Elements missing at the end of the file are left to Assimp.
void check_ply_counts(std::string_view bytes, const std::string& where);

}  // namespace pairs
