#pragma once

#include <string>

#include "tasks/molecules/byte_source.h"
#include "tasks/molecules/molecule_entry.h"

namespace pairs {

// Structure-data files (V2000 and V3000). Records that follow one another and hold the same molecule, by canonical
// SMILES, are its conformers; their places are those of the first. Stereochemistry is that of the coordinates. A record
// without depth (a drawing) gives no conformer; hydrogens that a record with depth leaves out are put where they
// belong. Of several fragments the largest is taken, as of SMILES. Records that cannot be read are set aside one by
// one; a file that breaks off sets its rest aside as one entry; one without any record throws Error.
void read_sdf(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
              const OnMolecule& on_molecule);

}  // namespace pairs
