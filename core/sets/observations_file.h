#pragma once

#include <filesystem>

#include "core/sets/observations.h"

namespace pairs {

// Names of the arrays that hold observations in an .npz file: a block, or rows [R, columns] with offsets [M + 1].
inline constexpr const char *kBlockArray = "x", *kRowsArray = "rows", *kOffsetsArray = "offsets",
                            *kRowOffsetsArray = "row_offsets";

// Reads observations from an .npz file. Throws Error if the arrays are missing or contradict each other.
Observations load_observations(const std::filesystem::path& file);

}  // namespace pairs
