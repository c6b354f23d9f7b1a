#pragma once

#include <string>
#include <vector>

namespace pairs {

// The table [simulations] of a task.toml: which files hold simulations, and how their arrays are called; empty names
// stand for the usual ones.
struct SimulationFiles {
  // Paths and patterns (*, ?, [...]) relative to the folder of the task: NPZ and HDF5 files; NPY files, of which all
  // arrays in one folder belong together; or such a folder.
  std::vector<std::string> files;
  std::string theta = "theta";              // [S, d], or [S] where d = 1
  std::string psi = "psi";                  // [S, p], or [S] where p = 1; read where the task names nuisances
  std::string given = "given";              // [S, g], or [S] where g = 1; read where the task names something given
  std::string x = "x";                      // see Simulations
  std::string offsets = "offsets";          // [S + 1] where each set's observations start
  std::string row_offsets = "row_offsets";  // [T + 1] where each observation's rows start
  // "nan": in x [S, M, ...] observations of NaN behind those of a set fill it up to M, and are none; "": nothing does.
  std::string padding = {};
};

}  // namespace pairs
