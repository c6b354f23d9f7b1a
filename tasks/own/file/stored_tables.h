#pragma once

#include <filesystem>

#include "core/task.h"
#include "tasks/own/stored/simulation_files.h"

namespace pairs::own {

// The files of [simulations] with tables (Parquet, Arrow, FITS; tasks/table_file.h) replaced by arrays. A table has one
// row per observation, with the columns `set`, the targets, nuisances and conditions, equal for all rows of a set, and
// those of x. Each is read once into NPY files in the cache, which are used as long as the table does not change.
// Throws Error if a table holds something else, or if x is not points.
SimulationFiles with_tables_read(SimulationFiles files, const std::filesystem::path& folder, const TaskInfo& info);

}  // namespace pairs::own
