#pragma once

#include <vector>

#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/parts/items.h"

namespace pairs {

// The environments of a molecule's atoms, as parts: for each atom except hydrogens, the atom itself, the atom with all
// atoms within one bond, and with those within two bonds, by element, charge, aromaticity, neighbors and kinds of
// bonds. Their weights are 20, 5 and 2. With `texts` they read "N+ with 1 neighbor but hydrogen", "N in
// C[N+](=O)[O-]". Independent of the order of atoms and of stereochemistry. Thread-safe.
std::vector<ItemPart> atom_environments(const Molecule& molecule, bool texts);

}  // namespace pairs
