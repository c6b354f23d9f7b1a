#pragma once

#include <string>
#include <vector>

#include "tasks/molecules/conformers.h"

namespace pairs {

// Whether a text is meant as a molecule: the name of a file of molecules, a record of one (record_text), or a SMILES,
// right or wrong, with blanks around it or without. Names of other files that exist, and of .npz files, are not; nor is
// what no chemist would take for a SMILES.
bool names_molecule(const std::string& text);

// The molecule that a person gives.
struct GivenMolecule {
  PreparedMolecule molecule;
  bool of_file = false;               // its conformers stand in the order of the file, where that has them
  std::string title;                  // the SMILES, or the file's name
  std::vector<std::string> warnings;  // sentences: what of the file was left out, what is other than asked for
};

// The molecule of a SMILES, of a record, or the first that can be used of a file. `known`, where it is given, is the
// entry of the record. Throws Error with one sentence where there is none.
GivenMolecule given_molecule(const std::string& smiles_or_file, const ConformerSettings& settings,
                             const MoleculeEntry* known = nullptr);

}  // namespace pairs
