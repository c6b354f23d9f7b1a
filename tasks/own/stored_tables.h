#pragma once

#include <filesystem>

#include "core/task.h"
#include "tasks/own/stored/simulation_files.h"

namespace pairs::own {

// The files of [simulations] with arrays in place of tables (Parquet, Arrow, FITS; tasks/table_file.h): a table of a
// row an observation, whose columns are `set`, the targets, nuisances and what is given, alike for all rows of a set,
// and those of x. Each is read once into NPY files among the caches, which are read in its place as long as it stays as
// it is. Throws Error where a table holds something else, or x is no points.
SimulationFiles with_tables_read(SimulationFiles files, const std::filesystem::path& folder, const TaskInfo& info);

}  // namespace pairs::own
