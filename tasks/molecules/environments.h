#pragma once

#include <vector>

#include "tasks/molecules/chemistry.h"
#include "tasks/parts/things.h"

namespace pairs {

// Where the atoms of a molecule stand: of each, hydrogens left out, itself, itself with all atoms within one bond, and
// within two bonds, as parts: element, charge, whether it is aromatic, its neighbours, and how they are bound. They
// weigh 20, 5 and 2. With `texts` they read "N+ with 1 neighbour but hydrogen", "N in C[N+](=O)[O-]". Neither order of
// atoms nor stereochemistry counts. Safe to call from many threads.
std::vector<ThingPart> atom_environments(const Molecule& molecule, bool texts);

}  // namespace pairs
