#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// Settings of Molecular Lipophilicity that the paper leaves open, and how much of the source is used.
struct MoleculesSettings {
  std::int64_t molecules = 1500;  // the first ones of the source; 0: all
  std::int64_t conformers = 10;   // per molecule: made, or kept from the file; the largest set
  // Per molecule of stage 1's part, whose sets have at most two observations; 0: as many as for any other.
  std::int64_t pretrain_conformers = 0;
  bool optimize = false;      // optimizes embedded conformers by MMFF94
  bool charged = true;        // also uses charged forms of RDKit's own molecules (charged_forms.h)
  std::int64_t variants = 0;  // edited molecules for each of RDKit's own molecules (MoleculeSource::variants)
  std::vector<Field> fields();
};

// Molecular Lipophilicity (paper, appendix of that name): each x is a conformer of one molecule, ragged rows [Z, x, y,
// z] of its atoms in Å, including hydrogens; θ is its Crippen logP. Molecules come from a file of SMILES, SDF or
// GEOM-Drugs (molecules_in); if the file has no conformers, RDKit embeds them by ETKDGv3.
//
// Molecules are divided by the hash of their SMILES (molecule_split): 60 % to stage 1, 20 % to stages 2 and 3, each
// with an eighth for validation, 20 % to tests. Tests use molecules with at least `conformers` conformers. Sets of one
// purpose with the indices 0 .. subjects - 1 are about different molecules; later ones start over. A set's conformers
// are its molecule's in an order drawn for the set, all before one repeats. These sets come from a store on disk that
// is made once (prepare, build_store). Sets shown to people are about the molecules of a Showcase, which needs no
// store.
//
// psi identifies the molecule: 0 .. Showcase::kMost - 1 of the showcase; kStored + m the m-th of the store; -1, -2, ...
// those passed to read_item. The task is a Bodies and an Items.
std::shared_ptr<const Task> make_molecules(const TaskOptions& options);

}  // namespace pairs
