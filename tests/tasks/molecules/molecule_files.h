#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tasks/molecules/formats/byte_source.h"
#include "tasks/molecules/formats/geom_file.h"
#include "tasks/molecules/molecule_file.h"
#include "tests/tasks/molecules/memory_bytes.h"

namespace pairs::testing {

// A file of molecules in the folder of real data: $PAIRS_DATA, else shared/data next to the source tree; "" when
// absent.
inline std::filesystem::path molecule_data(const std::string& name) {
  const char* named = std::getenv("PAIRS_DATA");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named) : std::filesystem::path(PAIRS_SOURCE_DIR) / "../shared/data";
  const std::filesystem::path file = folder / "molecules" / name;
  return std::filesystem::exists(file) ? file : std::filesystem::path();
}

inline std::vector<MoleculeEntry> all_entries(const MoleculeSource& source, const MoleculeLimits& limits = {}) {
  std::vector<MoleculeEntry> out;
  read_molecules(source, limits, [&](MoleculeEntry&& entry) {
    out.push_back(std::move(entry));
    return true;
  });
  return out;
}

inline std::vector<MoleculeEntry> geom_entries(const std::string& bytes, const MoleculeLimits& limits = {}) {
  std::vector<MoleculeEntry> out;
  read_geom(*memory_bytes(bytes), "input", limits, [&](MoleculeEntry&& entry) {
    out.push_back(std::move(entry));
    return true;
  });
  return out;
}

}  // namespace pairs::testing
