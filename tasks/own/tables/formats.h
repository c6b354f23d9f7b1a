#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tasks/table_file.h"

namespace pairs {

// Each opens a file that is there; `where` is how sentences call it. Throw Error where it is damaged, where the chosen
// table is not there, or where this build lacks the library.

// Parquet, and Arrow IPC as files or streams, by what the file begins with. By libpairs_arrow.so.
std::unique_ptr<TableFile> open_arrow_table(const std::filesystem::path& path, const std::string& where,
                                            const TableChoice& choice);
// HDF5: the data sets of a group, a column each, the fields of a table (a compound data set), a frame of pandas, or a
// data set of two axes: x, or the only one.
std::unique_ptr<TableFile> open_hdf5_table(const std::filesystem::path& path, const std::string& where,
                                           const TableChoice& choice);
// As open_table_groups says.
std::unique_ptr<TableGroups> open_hdf5_groups(const std::filesystem::path& path, const std::string& where,
                                              const std::vector<std::string>& wanted);
// A table of a FITS file, binary or text. By libpairs_fits.so.
std::unique_ptr<TableFile> open_fits_table(const std::filesystem::path& path, const std::string& where,
                                           const TableChoice& choice);

}  // namespace pairs
