#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasks/molecules/molecule_entry.h"
#include "tasks/molecules/set_aside.h"

namespace RDKit {
class ROMol;
}

namespace pairs {

// Atomic numbers of the molecules that are read: the non-metals and metalloids of drug-like molecules (H B C N O F Si P
// S Cl As Se Br I), which Crippen's table, ETKDG and SchNet's table of 100 elements all know. Metals and dummy atoms
// are refused: for these Crippen's increments and the force fields' parameters are placeholders.
bool is_molecule_element(int atomic_number);

// The symbol of an element, "?" where there is none.
std::string element_symbol(int atomic_number);

// A molecule's graph, hydrogens implicit, as RDKit has it. Cheap to copy; what it holds is never changed.
struct Molecule {
  std::shared_ptr<const RDKit::ROMol> graph;
  std::string canonical;         // RDKit's canonical SMILES, stereochemistry and isotopes kept
  std::int64_t atoms = 0;        // hydrogens included
  bool largest_of_many = false;  // the SMILES had further fragments
};

// Why a text or record gave no molecule.
struct Refusal {
  SetAsideReason reason = SetAsideReason::empty;
  std::string detail;
};

// What is taken of a SMILES of several fragments: the largest, or the whole text as it stands.
enum class Fragments { largest, all };

// The text without what surrounds it where it was pasted: blanks and line ends of any kind (no-break spaces, spaces
// without width and byte order marks among them), and a pair of quotes.
std::string_view pasted_text(std::string_view text);

// The molecule of a SMILES, blanks around it apart. Of several fragments (salts, solvents) it is the one with most
// heavy atoms, as written: charges are kept; of equal ones the heavier, then the first by canonical SMILES. Safe to
// call from many threads, as all of this file is.
std::variant<Molecule, Refusal> parse_molecule(std::string_view smiles, const MoleculeLimits& limits = {},
                                               Fragments fragments = Fragments::largest);

// Crippen's octanol-water logP (Wildman and Crippen 1999) by RDKit, hydrogens counted.
double crippen_logp(const Molecule& molecule);

// Atomic numbers of the molecule with its hydrogens: heavy atoms in the order of the canonical SMILES as RDKit reads it
// back, then the hydrogens of each. It is the order in which conformers are embedded.
std::vector<std::uint8_t> molecule_elements(const Molecule& molecule);

// Whether conformers of these atoms, in any order, can be conformers of the molecule.
bool same_composition(const Molecule& molecule, std::span<const std::uint8_t> elements);

// The canonical SMILES without stereochemistry: that of all the stereoisomers of a molecule.
std::string flat_smiles(const Molecule& molecule);

}  // namespace pairs
