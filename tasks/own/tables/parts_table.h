#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tasks/table_file.h"

namespace pairs {

// Opens a table that no single-format reader can open: a folder that holds it in parts, a gzip file, or text. Null for
// all others. `where`: its name in sentences.
std::unique_ptr<TableFile> open_joined_table(const std::filesystem::path& path, const std::string& where,
                                             const TableChoice& choice);

}  // namespace pairs
