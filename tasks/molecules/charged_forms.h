#pragma once

#include <optional>
#include <string>

#include "tasks/molecules/chemistry.h"

namespace pairs {

// The charged form of an uncharged molecule, as a canonical SMILES; nothing where it has no site for a charge, or is
// charged already. A hash of the molecule chooses among its sites:
// where it has groups that are ionised at pH 7.4, mostly all of these (carboxylic, sulfonic and phosphonic acids,
// tetrazoles and acylsulfonamides lose a proton; aliphatic amines, amidines and guanidines take one: both make a
// zwitterion), sometimes one alone, or a tertiary amine takes a methyl (a quaternary ammonium);
// else one weaker site: a phenol, thiophenol, sulfonamide or imide loses a proton, a pyridine, imidazole or aniline
// takes one or a methyl.
// The rules are a table of SMARTS; pKa are not computed. Safe to call from many threads.
std::optional<std::string> charged_form(const Molecule& molecule);

// The canonical SMILES, without stereochemistry, of the molecule without its charges: acids with their proton, ammonium
// without its own, quaternary ammonium without a methyl. Charges beside each other (nitro groups) stay. It is the same
// for a molecule and its charged_form(), and that of an uncharged molecule is its flat_smiles().
std::string parent_smiles(const Molecule& molecule);

}  // namespace pairs
