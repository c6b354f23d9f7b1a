#pragma once

#include <string>
#include <vector>

namespace pairs {

// The table [simulations] of a task.toml: the files that hold simulations, and the names of their arrays; empty names
// stand for the default ones.
struct SimulationFiles {
  // Paths and patterns (*, ?, [...]) relative to the folder of the task: NPZ and HDF5 files; NPY files, where all
  // arrays in one folder belong together; or such a folder.
  std::vector<std::string> files;
  std::string theta = "theta";              // [S, d], or [S] where d = 1
  std::string psi = "psi";                  // [S, p], or [S] where p = 1; read if the task has nuisances
  std::string given = "given";              // [S, g], or [S] where g = 1; read if the task has conditions
  std::string x = "x";                      // see Simulations
  std::string offsets = "offsets";          // [S + 1] where each set's observations start
  std::string row_offsets = "row_offsets";  // [T + 1] where each observation's rows start
  // "nan": sets in x [S, M, ...] are padded to M with observations of NaN; "": they are not.
  std::string padding = {};
  // Whether sets were simulated one by one for a run, each known by its place: none is a copy of another, and several
  // may share their parameters on purpose.
  bool simulated = false;
};

}  // namespace pairs
