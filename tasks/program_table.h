#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tasks/table_file.h"

namespace pairs {

// Splits a command into words like a shell, with quotes and backslashes, but without variables and patterns. Throws a
// usage Error if a quote is not closed or there is no word.
std::vector<std::string> words_of_command(const std::string& command);

// Opens a table through a user's program (docs/reference/data-files.md): it receives the path and returns columns and
// rows. It runs in `folder` until the table is closed. Throws Error with a sentence on what the program did or printed.
std::unique_ptr<TableFile> open_with_program(const std::vector<std::string>& command,
                                             const std::filesystem::path& folder, const std::filesystem::path& path);

// Opens the table in a file by the command `reader`, run in the current folder, or by the file's format if `reader` is
// "".
std::unique_ptr<TableFile> open_table_by(const std::string& reader, const std::filesystem::path& path,
                                         const TableChoice& choice = {});

}  // namespace pairs
