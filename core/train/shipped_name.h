#pragma once

namespace pairs {

// What people call the weights that came with the program, wherever they are named: of a task that has several, those
// for the data at hand.
inline constexpr const char* kShippedName = "Shipped weights";

}  // namespace pairs
