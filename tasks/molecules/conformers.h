#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tasks/molecules/chemistry.h"
#include "tasks/molecules/molecule_entry.h"

namespace pairs {

// How conformers are made where the file has none, and how many are kept where it has.
struct ConformerSettings {
  std::int64_t conformers = 10;          // a molecule
  std::int64_t pretrain_conformers = 0;  // one of stage 1's part (molecule_split); 0: as many as of any other
  bool optimise = false;                 // by MMFF94 after embedding
  std::uint64_t seed = 0;
  std::int64_t attempts = 20;  // of embedding a conformer before it is given up
  MoleculeLimits limits = {};

  bool operator==(const ConformerSettings&) const = default;
};

// A molecule with all that the task needs of it.
struct PreparedMolecule {
  std::string canonical, name;
  std::uint64_t hash = 0, flat_hash = 0;  // molecule_hash of the canonical SMILES, and of parent_smiles()
  double logp = 0.0;
  std::int64_t conformers = 0;
  std::vector<std::uint8_t> elements;  // [atoms] hydrogens included
  std::vector<float> positions;        // [conformers, atoms, 3] in Å
  std::vector<float> weights;          // [conformers] of sum 1, or empty
  bool graph_order = false;            // atoms are ordered as molecule_elements orders them
  bool largest_of_many = false;        // the SMILES had further fragments
  std::int64_t odd_conformers = 0;     // conformers of the file that were left out
};

// A 64-bit hash of a text, the same everywhere.
std::uint64_t molecule_hash(std::string_view text);

// The molecule of an entry that no reader has set aside. Conformers of the file are kept as they are, also those that
// have reacted, as long as they hold the SMILES' atoms. Else they are embedded by ETKDGv3 (Wang et al. 2020), without
// pruning, from a seed that depends on the settings' and on the canonical SMILES alone: neither on the order of
// molecules nor on threads. A molecule that embeds neither from distances nor from random coordinates within the
// attempts is refused; one that gives fewer conformers than asked for has those.
std::variant<PreparedMolecule, Refusal> prepare_molecule(const Molecule& molecule, MoleculeEntry&& entry,
                                                         const ConformerSettings& settings);

// The molecule of an entry, whose reader may have set it aside. Throws Error with one sentence where it cannot be used.
PreparedMolecule molecule_of_entry(MoleculeEntry&& entry, const ConformerSettings& settings);

// Molecules that a person gives: a SMILES string, or a file of any format that is read (of at most `most` molecules).
// Throws Error where there is none that can be used, saying why.
std::vector<PreparedMolecule> molecules_given(const std::string& smiles_or_file, const ConformerSettings& settings,
                                              std::int64_t most = 100);

}  // namespace pairs
