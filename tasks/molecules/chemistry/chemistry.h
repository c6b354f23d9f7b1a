#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasks/molecules/chemistry/molecule_entry.h"
#include "tasks/molecules/chemistry/set_aside.h"

namespace RDKit {
class ROMol;
}

namespace pairs {

// Whether molecules with this atomic number are read: the non-metals and metalloids of drug-like molecules (H B C N O F
// Si P S Cl As Se Br I), which Crippen's table, ETKDG and SchNet's table of 100 elements all support. Metals and dummy
// atoms are refused: for these, Crippen's increments and the force fields' parameters are placeholders.
bool is_molecule_element(int atomic_number);

// The symbol of an element, "?" if there is none.
std::string element_symbol(int atomic_number);

// A molecule's RDKit graph with implicit hydrogens. Cheap to copy; its content never changes.
struct Molecule {
  std::shared_ptr<const RDKit::ROMol> graph;
  std::string canonical;         // RDKit's canonical SMILES, with stereochemistry and isotopes
  std::int64_t atoms = 0;        // including hydrogens
  bool largest_of_many = false;  // the SMILES had further fragments
};

// Why a text or record gave no molecule.
struct Refusal {
  SetAsideReason reason = SetAsideReason::empty;
  std::string detail;
};

// Which part of a SMILES with several fragments is used: the largest, or the whole text.
enum class Fragments { largest, all };

// Strips a pasted text: blanks and line ends of any kind (including no-break spaces, zero-width spaces and byte order
// marks), and a pair of quotes.
std::string_view pasted_text(std::string_view text);

// Parses a SMILES, ignoring blanks around it. Of several fragments (salts, solvents) the result is the one with the
// most heavy atoms, as written: charges are kept; between equal ones the heavier, then the first by canonical SMILES.
// Thread-safe, like everything in this file.
std::variant<Molecule, Refusal> parse_molecule(std::string_view smiles, const MoleculeLimits& limits = {},
                                               Fragments fragments = Fragments::largest);

// Crippen's octanol-water logP (Wildman and Crippen 1999) by RDKit, including hydrogens.
double crippen_logp(const Molecule& molecule);

// Atomic numbers of the molecule with its hydrogens: heavy atoms in the order in which RDKit reads the canonical
// SMILES, then the hydrogens of each. Conformers are embedded in this order.
std::vector<std::uint8_t> molecule_elements(const Molecule& molecule);

// Whether conformers with these atoms, in any order, can belong to the molecule.
bool same_composition(const Molecule& molecule, std::span<const std::uint8_t> elements);

// The canonical SMILES without stereochemistry, which is the same for all stereoisomers of a molecule.
std::string flat_smiles(const Molecule& molecule);

}  // namespace pairs
