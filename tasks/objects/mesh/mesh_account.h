#pragma once

#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// The meshes of a general data folder ("" = none), by their names only: `training` and `test` count them unmeasured.
FoundData find_mesh_data(const std::string& folder);

// Measures all of them (facts measured before are cached on disk): how many each part has, by which rule their volumes
// are defined, which cannot be used and why. Throws Stopped, and Error if there are none.
DataAccount account_of_meshes(const std::string& folder, const Preparation& follow);

}  // namespace pairs
