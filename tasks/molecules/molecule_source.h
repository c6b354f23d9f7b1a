#pragma once

#include <string>
#include <vector>

#include "tasks/molecules/molecule_file.h"
#include "tasks/parts/data_sets.h"

namespace pairs {

// The file that the task's molecules are read from.
struct FoundMolecules {
  MoleculeSource source;
  std::string name;      // for people: "drugs_crude.msgpack (GEOM, 41.2 GiB)", "RDKit's molecules (WEHI)"
  bool bundled = false;  // RDKit's own
  std::string problem;   // why there is no file at all, "" where there is one
};

// The molecules that `data` names: a file of them, or a folder that holds some, in molecules/ below it or else in
// itself. Of several files that of GEOM (.msgpack, or that in its archive) is taken, else the largest that holds
// molecules, as its first rows tell. Where `data` is empty or a folder without such a file, RDKit's own. Reads a few
// rows at most; what was found is remembered for as long as the files stay as they are. Throws Error of kind usage
// where `data` does not exist, or is a file of no format that is read.
FoundMolecules molecules_in(const std::string& data);

// What a folder holds, "" = none. `training` and `test` count molecules of stages 1 to 3 and of tests in the largest
// store that was made of the file; 0 where none was made yet.
FoundData find_molecules(const std::string& folder);

// Sentences on the stores that were made of a folder's molecules so far: how many molecules each holds for what, how
// many rows were set aside and why, the first of them by name.
std::vector<std::string> molecule_store_lines(const std::string& folder);

}  // namespace pairs
