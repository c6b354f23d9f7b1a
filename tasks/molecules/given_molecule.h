#pragma once

#include <string>
#include <vector>

#include "tasks/molecules/conformers.h"

namespace pairs {

// Whether a text is meant as a molecule: the name of a file of molecules, a record of one (record_text), or a SMILES,
// valid or not, ignoring blanks around it. False for names of other existing files, of .npz files, and for texts that
// no chemist would consider a SMILES.
bool names_molecule(const std::string& text);

// A molecule given by a user.
struct GivenMolecule {
  PreparedMolecule molecule;
  bool of_file = false;               // its conformers have the order of the file, if that has any
  std::string title;                  // the SMILES, or the file's name
  std::vector<std::string> warnings;  // sentences: parts of the file that were skipped, differences from the request
};

// The molecule of a SMILES, of a record, or the first usable one of a file. `known`, if not null, is the entry of the
// record. Throws Error with one sentence if there is none.
GivenMolecule given_molecule(const std::string& smiles_or_file, const ConformerSettings& settings,
                             const MoleculeEntry* known = nullptr);

}  // namespace pairs
