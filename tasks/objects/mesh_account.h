#pragma once

#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// The meshes of a folder of data of all kinds ("" = none), by their names alone: `training` and `test` count those that
// nobody has measured yet.
FoundData find_mesh_data(const std::string& folder);

// Measures all of them (what was measured before is kept on disk): how many each part has, by which rule their volumes
// are defined, which cannot be used and why. Throws Stopped, and Error where there are none.
DataAccount account_of_meshes(const std::string& folder, const Preparation& follow);

}  // namespace pairs
