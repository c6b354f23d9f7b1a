#pragma once

#include <string>

#include "tasks/molecules/chemistry/molecule_entry.h"
#include "tasks/molecules/formats/byte_source.h"

namespace pairs {

// The columns of a table; "" stands for the usual names ("smiles", "canonical_smiles", ...; "name", "id", ...),
// ignoring case.
struct MoleculeColumns {
  std::string smiles, name;

  bool operator==(const MoleculeColumns&) const = default;
};

// Reads a table of SMILES with a header: cells separated by commas, semicolons or tabs (the one most frequent in the
// first row), quoted if they hold one or a line break ("" stands for a quote). Without a header, if the first row's
// first cell is a molecule, the first column holds SMILES and the second, if any, names. Throws Error listing the
// columns if that of the SMILES is missing. A file that breaks off sets its rest aside as one entry.
void read_table(ByteSource& source, const std::string& where, const MoleculeColumns& columns,
                const OnMolecule& on_molecule);

// Reads lines of SMILES, optionally followed by blanks and a name; skips empty lines, those beginning with '#', and a
// header beginning with "smiles".
void read_smi(ByteSource& source, const std::string& where, const OnMolecule& on_molecule);

}  // namespace pairs
