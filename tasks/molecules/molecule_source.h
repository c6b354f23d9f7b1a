#pragma once

#include <string>

#include "tasks/molecules/molecule_file.h"

namespace pairs {

// The file that the task's molecules are read from.
struct FoundMolecules {
  MoleculeSource source;
  std::string name;      // for people: "drugs_crude.msgpack (GEOM, 41.2 GiB)"
  bool bundled = false;  // RDKit's own
  std::string problem;   // why there is no file at all, "" where there is one
};

// The molecules that `data` names: a file of them, or a folder that holds some, in molecules/ below it or else in
// itself. Of several files that of GEOM (.msgpack, or that in its archive) is taken, else the largest that holds
// molecules, as its first rows tell. Where `data` is empty or a folder without such a file, RDKit's own. Reads a few
// rows at most; what was found is remembered for as long as the files stay as they are. Throws Error of kind usage
// where `data` does not exist, or is a file of no format that is read. Each of RDKit's own molecules is followed by its
// charged form, where `charged` asks for it, and so many `variants` (MoleculeSource).
FoundMolecules molecules_in(const std::string& data, bool charged = true, std::int64_t variants = 0);

}  // namespace pairs
