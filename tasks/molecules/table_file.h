#pragma once

#include <string>

#include "tasks/molecules/byte_source.h"
#include "tasks/molecules/molecule_entry.h"

namespace pairs {

// Which columns of a table hold what; "" takes the usual names ("smiles", "canonical_smiles", ...; "name", "id", ...),
// case aside.
struct MoleculeColumns {
  std::string smiles, name;

  bool operator==(const MoleculeColumns&) const = default;
};

// A table of SMILES with a header: cells between commas, semicolons or tabs (the one the first row holds most of),
// quoted where they hold one or a line break ("" stands for a quote). Without a header, where the first row's first
// cell is a molecule, the first column holds SMILES and the second, if any, names. Throws Error naming the columns
// there are when the SMILES' is not among them. A file that breaks off sets its rest aside as one entry.
void read_table(ByteSource& source, const std::string& where, const MoleculeColumns& columns,
                const OnMolecule& on_molecule);

// Lines of SMILES and, after blanks, an optional name; empty lines and those beginning with '#' are left out, and so is
// a header beginning with "smiles".
void read_smi(ByteSource& source, const std::string& where, const OnMolecule& on_molecule);

}  // namespace pairs
