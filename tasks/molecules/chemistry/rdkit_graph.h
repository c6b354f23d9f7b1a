#pragma once

#include <GraphMol/RWMol.h>

#include <memory>
#include <variant>

#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {

// Access to RDKit, only for files of this folder.

// Silences RDKit's log and fills its tables, once, before threads share them. Called by every public function here.
void prepare_rdkit();

// Converts a sanitized graph with its conformers to a molecule: selects the fragment and checks its elements and size.
// Hydrogens that can be implicit are removed from `Molecule::graph`; `whole`, if not null, receives the fragment with
// its hydrogens.
std::variant<Molecule, Refusal> molecule_of_graph(const RDKit::ROMol& graph, const MoleculeLimits& limits,
                                                  std::shared_ptr<RDKit::ROMol>* whole = nullptr,
                                                  Fragments fragments = Fragments::largest);

// Checks what can be checked before sanitizing: that there are atoms, not too many, and of supported elements in at
// least one fragment.
std::variant<std::monostate, Refusal> check_atoms(const RDKit::ROMol& graph, const MoleculeLimits& limits);

// A copy of the molecule from its canonical SMILES with explicit hydrogens: the graph that is embedded.
std::unique_ptr<RDKit::RWMol> embedding_graph(const Molecule& molecule);

// Minimizes MMFF94's energy of every conformer. Returns false and moves nothing if the force field lacks parameters for
// the molecule.
bool optimize_conformers(RDKit::ROMol& graph, unsigned steps);

// An RDKit exception as one sentence.
std::string rdkit_sentence(const std::exception& error);

}  // namespace pairs
