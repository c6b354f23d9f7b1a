#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {

// Another molecule, made by one to five random edits of the molecule's graph without charges and stereochemistry, as a
// canonical SMILES: exchanged elements, added groups, chains and rings, bonds that are cut (keeping either side),
// lengthened, shortened, or changed in order. Every second one is in its charged_form(), if it has one. Such molecules
// need not exist: they widen the training distribution, so that fewer sets are out of distribution.
// A hash of the molecule and `number` determines the edits. The result is in the same part as the molecule
// (molecule_split), so that no test is about an edited training molecule; nothing if a hundred attempts fail.
// Thread-safe.
std::optional<std::string> molecule_variant(const Molecule& molecule, std::int64_t number);

}  // namespace pairs
