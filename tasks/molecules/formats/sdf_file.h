#pragma once

#include <string>

#include "tasks/molecules/chemistry/molecule_entry.h"
#include "tasks/molecules/formats/byte_source.h"

namespace pairs {

// Reads structure-data files (V2000 and V3000). Consecutive records of the same molecule, by canonical SMILES, are its
// conformers, with the place of the first. Stereochemistry follows from the coordinates. A record without depth (a
// drawing) gives no conformer; missing hydrogens are added to a record with depth. Of several fragments the largest is
// used, as for SMILES. Unreadable records are set aside one by one; a file that breaks off sets its rest aside as one
// entry; one without any record throws Error.
void read_sdf(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
              const OnMolecule& on_molecule);

}  // namespace pairs
