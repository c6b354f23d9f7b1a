#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tasks/table_file.h"

namespace pairs {

// A table that no reader of one format opens: of a folder that holds it in parts, of a gzip file, or of text. Null for
// all others. `where`: how sentences call it.
std::unique_ptr<TableFile> open_joined_table(const std::filesystem::path& path, const std::string& where,
                                             const TableChoice& choice);

}  // namespace pairs
