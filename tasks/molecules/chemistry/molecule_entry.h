#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tasks/molecules/chemistry/set_aside.h"

namespace pairs {

// The content of a file for one molecule, before any chemistry.
struct MoleculeEntry {
  std::string smiles;                 // as written; a reader of SDF gives the canonical one
  std::string name;                   // "" if the file has none
  std::string place;                  // "line 12", "record 3", "molecule 17"
  bool edited = false;                // a molecule_variant() of another
  std::optional<SetAsideReason> bad;  // set if the reader itself sets the row aside
  std::string detail;                 // what is wrong in that case

  // Conformers in the file, sorted by energy if it has energies; empty if there are none. Their atoms may be in another
  // order than in the SMILES.
  std::vector<std::uint8_t> elements;  // [atoms] atomic numbers
  std::vector<float> positions;        // [conformers, atoms, 3] in Å
  std::vector<float> weights;          // [conformers] Boltzmann weights with sum 1, or empty
  std::int64_t odd_conformers = 0;     // skipped: other atoms than the first, or coordinates that are not numbers
  std::int64_t conformers() const {
    return elements.empty() ? 0 : static_cast<std::int64_t>(positions.size() / (3 * elements.size()));
  }
};

// Receives the molecules of a file one by one; false ends the reading.
using OnMolecule = std::function<bool(MoleculeEntry&&)>;

// Limits of what readers accept.
struct MoleculeLimits {
  std::int64_t atoms = 300;         // including hydrogens
  std::int64_t conformers = 10000;  // kept per molecule; of more, those with the lowest energies if the file has them

  bool operator==(const MoleculeLimits&) const = default;
};

// Longer SMILES are set aside unread.
inline constexpr std::size_t kLongestSmiles = 4000;

}  // namespace pairs
