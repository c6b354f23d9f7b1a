#pragma once

#include <optional>
#include <string>

#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {

// The charged form of an uncharged molecule, as a canonical SMILES; nothing if it has no site for a charge, or is
// charged already. A hash of the molecule selects among its sites:
// if it has groups that are ionized at pH 7.4, mostly all of these (carboxylic, sulfonic and phosphonic acids,
// tetrazoles and acylsulfonamides lose a proton; aliphatic amines, amidines and guanidines gain one: both make a
// zwitterion), sometimes only one, or a tertiary amine gains a methyl (a quaternary ammonium);
// otherwise one weaker site: a phenol, thiophenol, sulfonamide or imide loses a proton, a pyridine, imidazole or
// aniline gains one or a methyl.
// The rules are a table of SMARTS; pKa are not computed. Thread-safe.
std::optional<std::string> charged_form(const Molecule& molecule);

// The canonical SMILES, without stereochemistry, of the molecule without its charges: acids with their proton, ammonium
// without its own, quaternary ammonium without a methyl. Adjacent charges (nitro groups) stay. It is the same for a
// molecule and its charged_form(), and for an uncharged molecule it equals flat_smiles().
std::string parent_smiles(const Molecule& molecule);

}  // namespace pairs
