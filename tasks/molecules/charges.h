#pragma once

#include <string>

namespace pairs {

// Whether a molecule carries charges: as a whole, or an atom with a formal charge that no neighbour of the opposite
// charge balances. A nitro group or an N-oxide, whose charges only write down a bond, does not count; a zwitterion
// does. False for text that is no SMILES.
bool carries_charge(const std::string& smiles);

}  // namespace pairs
