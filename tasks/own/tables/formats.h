#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tasks/table_file.h"

namespace pairs {

// Each opens an existing file; `where` is its name in sentences. All throw Error if it is damaged, if the selected
// table is missing, or if this build lacks the library.

// Parquet, and Arrow IPC as files or streams, by the first bytes of the file. Uses libpairs_arrow.so.
std::unique_ptr<TableFile> open_arrow_table(const std::filesystem::path& path, const std::string& where,
                                            const TableChoice& choice);
// HDF5: the data sets of a group, one per column, the fields of a table (a compound data set), a pandas frame, or a
// two-dimensional data set: x, or the only one.
std::unique_ptr<TableFile> open_hdf5_table(const std::filesystem::path& path, const std::string& where,
                                           const TableChoice& choice);
// See open_table_groups.
std::unique_ptr<TableGroups> open_hdf5_groups(const std::filesystem::path& path, const std::string& where,
                                              const std::vector<std::string>& wanted);
// A table of a FITS file, binary or text. Uses libpairs_fits.so.
std::unique_ptr<TableFile> open_fits_table(const std::filesystem::path& path, const std::string& where,
                                           const TableChoice& choice);

}  // namespace pairs
