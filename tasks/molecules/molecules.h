#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// What the paper leaves open of Molecular Lipophilicity, and how much of the source is used.
struct MoleculesSettings {
  std::int64_t molecules = 1500;  // the first so many of the source; 0: all
  std::int64_t conformers = 10;   // of a molecule: made, or kept of the file's; the largest set
  // Of a molecule of stage 1's part, whose sets are of two observations at most; 0: as many as of any other.
  std::int64_t pretrain_conformers = 0;
  bool optimise = false;      // conformers that are made, by MMFF94
  bool charged = true;        // of RDKit's own molecules the charged forms, too (charged_forms.h)
  std::int64_t variants = 0;  // of each of RDKit's own molecules so many edited ones, too (MoleculeSource::variants)
  std::vector<Field> fields();
};

// Molecular Lipophilicity (paper, appendix of that name): each x is a conformer of one molecule, ragged rows
// [Z, x, y, z] of its atoms in Å, hydrogens included; θ is its Crippen logP. Molecules come from a file of SMILES, SDF
// or GEOM-Drugs (molecules_in); where the file has no conformers, RDKit embeds them by ETKDGv3.
//
// Molecules are shared out by the hash of their SMILES (molecule_split): 60 % to stage 1, 20 % to stages 2 and 3, of
// each an eighth to validation, 20 % to tests. Tests take molecules that have `conformers` conformers or more. Sets of
// one purpose with the indices 0 .. subjects - 1 are about different molecules; those after them go round again. A
// set's conformers are its molecule's in an order drawn for the set, all before one repeats. These sets come from a
// store on disk that is made once (prepare, build_store). Sets for people are about the molecules of a Showcase, which
// needs no store.
//
// psi tells the molecule: 0 .. Showcase::kMost - 1 of the showcase; kStored + m the m-th of the store; -1, -2, ...
// those that read_thing was given. The task is a Bodies and a Things.
std::shared_ptr<const Task> make_molecules(const TaskOptions& options);

}  // namespace pairs
