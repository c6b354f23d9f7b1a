#pragma once

#include <string>
#include <string_view>

#include "tasks/objects/mesh_file.h"

namespace pairs {

// The text form of OFF, places in float64. Read are also: counts on the header's own line, with or without a blank
// between ("OFF4902 10000 0", as ModelNet has it); a file without the word OFF; comments (#) and empty lines anywhere;
// the prefixes ST, C and N, and more numbers than three behind a vertex where all vertices have as many (they are left
// out); up to four numbers of colour behind a face. A vertex and a face stand on a line each. Refused are binary OFF,
// places in other than three dimensions (4OFF, nOFF), a line that is neither, numbers that are not finite, indices out
// of range, and counts that the lines do not bear out, in either direction. The counts are taken on trust for nothing:
// no more is allocated than the bytes there are can fill. Throws Error with one sentence naming `where` and the line.
MeshFile parse_off(std::string_view bytes, const std::string& where);

}  // namespace pairs
