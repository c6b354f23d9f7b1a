#pragma once

#include <string>

#include "tasks/molecules/byte_source.h"
#include "tasks/molecules/molecule_entry.h"

namespace pairs {

// GEOM-Drugs' drugs_crude.msgpack (Axelrod and Gómez-Bombarelli 2022): maps {SMILES -> molecule} one behind the other,
// read value by value, so that memory is one molecule's. Keys may stand in any order, be absent or nil; unknown ones
// are left out. Of each conformer are taken xyz (rows of Z, x, y, z in Å), boltzmannweight (renormalised; left out
// where one is missing, negative or all are 0) and totalenergy or else relativeenergy, by which conformers are ordered
// where all have it. A conformer whose atoms differ from those of most, or with coordinates that are no numbers, is
// left out and counted. Molecules of another layout are set aside one by one. A file that breaks off or is damaged sets
// its rest aside as one entry; one that holds no such map at all throws Error.
void read_geom(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
               const OnMolecule& on_molecule);

}  // namespace pairs
