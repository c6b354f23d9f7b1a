#pragma once

#include <cstdlib>
#include <filesystem>

namespace pairs {

// The folder of real meshes, if this machine has one: meshes in $PAIRS_DATA, else shared/data next to the source tree;
// else "".
inline std::filesystem::path real_meshes() {
  const char* named = std::getenv("PAIRS_DATA");
  const std::filesystem::path folder =
      (named != nullptr ? std::filesystem::path(named) : std::filesystem::path(PAIRS_SOURCE_DIR) / "../shared/data") /
      "meshes";
  return std::filesystem::exists(folder / "MANIFEST.csv") ? folder : "";
}

}  // namespace pairs
