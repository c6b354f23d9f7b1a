#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tasks/molecules/set_aside.h"

namespace pairs {

// What a file gives for one molecule, before any chemistry.
struct MoleculeEntry {
  std::string smiles;                 // as written; a reader of SDF gives the canonical one
  std::string name;                   // "" where the file has none
  std::string place;                  // "line 12", "record 3", "molecule 17"
  bool edited = false;                // a molecule_variant() of another
  std::optional<SetAsideReason> bad;  // set where the reader itself sets the row aside
  std::string detail;                 // what is wrong then

  // Conformers that the file gives, in the order of their energies where it tells these; none where it has none. Their
  // atoms need not be ordered as the SMILES orders them.
  std::vector<std::uint8_t> elements;  // [atoms] atomic numbers
  std::vector<float> positions;        // [conformers, atoms, 3] in Å
  std::vector<float> weights;          // [conformers] Boltzmann weights of sum 1, or empty
  std::int64_t odd_conformers = 0;     // left out: other atoms than the first, or coordinates that are no numbers
  std::int64_t conformers() const {
    return elements.empty() ? 0 : static_cast<std::int64_t>(positions.size() / (3 * elements.size()));
  }
};

// Receives the molecules of a file one by one; false ends the reading.
using OnMolecule = std::function<bool(MoleculeEntry&&)>;

// Bounds of what readers accept.
struct MoleculeLimits {
  std::int64_t atoms = 300;         // hydrogens included
  std::int64_t conformers = 10000;  // kept of a molecule; of more, those of lowest energy where the file tells it

  bool operator==(const MoleculeLimits&) const = default;
};

// SMILES longer than this are set aside unread.
inline constexpr std::size_t kLongestSmiles = 4000;

}  // namespace pairs
