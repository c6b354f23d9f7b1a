#pragma once

#include <string>

#include "tasks/molecules/molecule_file.h"

namespace pairs {

// The file that the task's molecules are read from.
struct FoundMolecules {
  MoleculeSource source;
  std::string name;      // for display: "drugs_crude.msgpack (GEOM, 41.2 GiB)"
  bool bundled = false;  // RDKit's own
  std::string problem;   // why there is no file at all, "" if there is one
};

// Finds the molecules that `data` names: a file of them, or a folder that holds some, in its subfolder molecules/ or
// itself. Of several files the one of GEOM (.msgpack, or an archive of it) is used, else the largest one that holds
// molecules according to its first rows. If `data` is empty or a folder without such a file, RDKit's own molecules are
// used. Reads only a few rows; the result is cached as long as the files do not change. Throws a usage Error if `data`
// does not exist, or is a file of an unsupported format. Each of RDKit's own molecules is followed by its charged form,
// if `charged` is set, and by `variants` edited molecules (MoleculeSource).
FoundMolecules molecules_in(const std::string& data, bool charged = true, std::int64_t variants = 0);

}  // namespace pairs
