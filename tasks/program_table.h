#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tasks/table_file.h"

namespace pairs {

// The words of a command as a shell would take them, quotes and backslashes included, but without its variables and
// patterns. Throws a usage Error where a quote is not closed or there is no word.
std::vector<std::string> words_of_command(const std::string& command);

// A table that a person's program reads (docs/own-task.md): it is handed the path and tells columns and rows. It runs
// in `folder` until the table is closed. Throws Error in a sentence that says what the program did, or said.
std::unique_ptr<TableFile> open_with_program(const std::vector<std::string>& command,
                                             const std::filesystem::path& folder, const std::filesystem::path& path);

// The table in a file that the command `reader` reads, run in the present folder, or where that is "" by its ending.
std::unique_ptr<TableFile> open_table_by(const std::string& reader, const std::filesystem::path& path,
                                         const TableChoice& choice = {});

}  // namespace pairs
