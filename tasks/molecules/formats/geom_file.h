#pragma once

#include <string>

#include "tasks/molecules/chemistry/molecule_entry.h"
#include "tasks/molecules/formats/byte_source.h"

namespace pairs {

// Reads GEOM-Drugs' drugs_crude.msgpack (Axelrod and Gómez-Bombarelli 2022): maps {SMILES -> molecule} one after
// another, value by value, so that memory is that of one molecule. Keys may be in any order, missing or nil; unknown
// ones are skipped. Each conformer has xyz (rows of Z, x, y, z in Å), boltzmannweight (renormalized; ignored if one is
// missing, negative or all are 0) and totalenergy or else relativeenergy, by which conformers are sorted if all have
// it. A conformer whose atoms differ from those of most, or with coordinates that are not numbers, is skipped and
// counted. Molecules with another layout are set aside one by one. A file that breaks off or is damaged sets its rest
// aside as one entry; one that holds no such map at all throws Error.
void read_geom(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
               const OnMolecule& on_molecule);

}  // namespace pairs
