#pragma once

#include <string>
#include <string_view>

#include "tasks/objects/mesh/mesh_file.h"

namespace pairs {

// Parses the text form of OFF, with coordinates in float64. Also accepts: counts on the header's own line, with or
// without a blank in between ("OFF4902 10000 0", as in ModelNet); a file without the word OFF; comments (#) and empty
// lines anywhere; the prefixes ST, C and N, and more than three numbers per vertex if all vertices have equally many
// (they are ignored); up to four numbers of color after a face. Each vertex and each face has its own line. Refuses
// binary OFF, coordinates in other than three dimensions (4OFF, nOFF), a line that is neither, numbers that are not
// finite, indices out of range, and counts that do not match the lines, in either direction. The counts are not
// trusted: no more is allocated than the file's bytes can fill. Throws Error with one sentence naming `where` and the
// line.
MeshFile parse_off(std::string_view bytes, const std::string& where);

}  // namespace pairs
