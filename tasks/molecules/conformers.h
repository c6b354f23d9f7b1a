#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/molecules/chemistry/molecule_entry.h"

namespace pairs {

// How conformers are made if the file has none, and how many of the file's are kept.
struct ConformerSettings {
  std::int64_t conformers = 10;          // per molecule
  std::int64_t pretrain_conformers = 0;  // per molecule of stage 1's part (molecule_split); 0: as many as for any other
  bool optimize = false;                 // by MMFF94 after embedding
  std::uint64_t seed = 0;
  std::int64_t attempts = 20;  // attempts at embedding a conformer
  MoleculeLimits limits = {};

  bool operator==(const ConformerSettings&) const = default;
};

// A molecule with everything the task needs.
struct PreparedMolecule {
  std::string canonical, name;
  std::uint64_t hash = 0, flat_hash = 0;  // molecule_hash of the canonical SMILES, and of parent_smiles()
  double logp = 0.0;
  std::int64_t conformers = 0;
  std::vector<std::uint8_t> elements;  // [atoms] including hydrogens
  std::vector<float> positions;        // [conformers, atoms, 3] in Å
  std::vector<float> weights;          // [conformers] with sum 1, or empty
  bool graph_order = false;            // atoms have the order of molecule_elements
  bool largest_of_many = false;        // the SMILES had further fragments
  std::int64_t odd_conformers = 0;     // conformers of the file that were skipped
};

// A 64-bit hash of a text, the same on every machine.
std::uint64_t molecule_hash(std::string_view text);

// Prepares the molecule of an entry that no reader has set aside. Conformers of the file are kept unchanged, even if
// the molecule has reacted, as long as they have the SMILES' atoms. Otherwise they are embedded by ETKDGv3 (Wang et al.
// 2020), without pruning, from a seed that depends only on the settings' seed and the canonical SMILES, not on the
// order of molecules or on threads. A molecule that embeds neither from distances nor from random coordinates within
// the attempts is refused; one that gives fewer conformers than requested has those.
std::variant<PreparedMolecule, Refusal> prepare_molecule(const Molecule& molecule, MoleculeEntry&& entry,
                                                         const ConformerSettings& settings);

// Prepares the molecule of an entry that its reader may have set aside. Throws Error with one sentence if it cannot be
// used.
PreparedMolecule molecule_of_entry(MoleculeEntry&& entry, const ConformerSettings& settings);

// Molecules given by a user: a SMILES string, or a file of any supported format (with at most `most` molecules). Throws
// Error with the reason if none can be used.
std::vector<PreparedMolecule> molecules_given(const std::string& smiles_or_file, const ConformerSettings& settings,
                                              std::int64_t most = 100);

}  // namespace pairs
