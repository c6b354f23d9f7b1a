#pragma once

#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// The file of molecules in a folder, or `folder` itself if it is one ("" = none), without counting molecules.
FoundData find_molecules(const std::string& folder);

// Reads all rows of that file, or RDKit's own molecules if there is none: how many molecules each part has, which rows
// are set aside and why. Conformers are not made, so molecules that cannot be embedded are not detected. Throws
// Stopped, and Error if the file cannot be read.
DataAccount account_of_molecules(const std::string& folder, const Preparation& follow);

}  // namespace pairs
