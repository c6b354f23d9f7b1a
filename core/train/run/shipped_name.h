#pragma once

namespace pairs {

// The readable name of shipped weights everywhere: for a task that has several, it names those for the current data.
inline constexpr const char* kShippedName = "Shipped weights";

}  // namespace pairs
