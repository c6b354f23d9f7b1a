#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/molecules/chemistry.h"

namespace pairs {

// Another molecule, made from one by one to five random edits of its graph without charges and stereochemistry, as a
// canonical SMILES: atoms of another element, groups, chains and rings added, bonds cut (either side is kept),
// lengthened, shortened, or of another order. Every second one is in its charged_form(), where it has one. Such
// molecules need not be ones that anybody has made: they widen what weights learn from, so that they are asked about
// less that is unlike it.
// A hash of the molecule and `number` chooses. It is of the same part as the molecule (molecule_split), so that no test
// is about an edited molecule of training; nothing where a hundred attempts give none. Safe to call from many threads.
std::optional<std::string> molecule_variant(const Molecule& molecule, std::int64_t number);

}  // namespace pairs
