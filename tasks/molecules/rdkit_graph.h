#pragma once

#include <GraphMol/RWMol.h>

#include <memory>
#include <variant>

#include "tasks/molecules/chemistry.h"

namespace pairs {

// The room's dealings with RDKit, for its own files alone.

// Silences RDKit's log and fills its tables, once, before threads share them. Called by all that is public here.
void prepare_rdkit();

// A sanitised graph, conformers and all, as a molecule: the fragment that is taken, its elements and size checked.
// Hydrogens that can be implicit are removed from `Molecule::graph`; `whole`, when given, receives the fragment with
// those it had.
std::variant<Molecule, Refusal> molecule_of_graph(const RDKit::ROMol& graph, const MoleculeLimits& limits,
                                                  std::shared_ptr<RDKit::ROMol>* whole = nullptr,
                                                  Fragments fragments = Fragments::largest);

// Checks what can be checked before sanitising: that there are atoms, not too many, and of elements that are read in at
// least one fragment.
std::variant<std::monostate, Refusal> check_atoms(const RDKit::ROMol& graph, const MoleculeLimits& limits);

// A copy of the molecule read back from its canonical SMILES with explicit hydrogens: the graph that is embedded.
std::unique_ptr<RDKit::RWMol> embedding_graph(const Molecule& molecule);

// Moves the atoms of every conformer downhill in MMFF94's energy. False, and nothing moved, where the force field lacks
// parameters for the molecule.
bool optimise_conformers(RDKit::ROMol& graph, unsigned steps);

// One sentence of what RDKit threw.
std::string rdkit_sentence(const std::exception& error);

}  // namespace pairs
