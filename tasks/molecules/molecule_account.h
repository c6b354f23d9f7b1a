#pragma once

#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// The file of molecules that a folder holds, or that `folder` is ("" = none); nothing of it is counted.
FoundData find_molecules(const std::string& folder);

// Reads all of that file's rows, RDKit's own molecules where there is none: how many each part has, what is set aside
// and why. Conformers are not made: which molecules can be given none is not known here. Throws Stopped, and Error
// where the file cannot be read.
DataAccount account_of_molecules(const std::string& folder, const Preparation& follow);

}  // namespace pairs
