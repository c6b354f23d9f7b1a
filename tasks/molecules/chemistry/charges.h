#pragma once

#include <string>

namespace pairs {

// Whether a molecule carries charges: as a whole, or an atom with a formal charge that no neighbor of the opposite
// charge balances. A nitro group or an N-oxide, whose charges are only notation for a bond, does not count; a
// zwitterion does. False for text that is not SMILES.
bool carries_charge(const std::string& smiles);

}  // namespace pairs
