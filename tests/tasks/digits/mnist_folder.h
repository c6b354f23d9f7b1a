#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pairs::testing {

// The folder of real data, if this machine has one: $PAIRS_DATA, else shared/data next to the source tree; else "".
inline std::string data_folder() {
  const char* named = std::getenv("PAIRS_DATA");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named) : std::filesystem::path(PAIRS_SOURCE_DIR) / "../shared/data";
  return std::filesystem::exists(folder / "mnist" / "t10k-images-idx3-ubyte.gz") ? folder.string() : "";
}

}  // namespace pairs::testing
