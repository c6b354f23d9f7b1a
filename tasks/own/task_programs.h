#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/table_reader.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// What a task.toml says of programs that are run for it, and of what it knows of posteriors.

// A word of a command or a path, with ~/ at its start as the person's home.
std::string with_home(const std::string& word);

// The tables [simulator], [reference], [sufficient] and [reader]. All throw a usage Error that names file and line.
SimulatorProgram read_simulator(const toml::table& source, const std::string& where);
ProgramReferenceSettings read_reference(const toml::table& source, const std::string& where, const TaskFile& task);
ReferenceFileSettings read_reference_file(const toml::table& source, const std::string& where, const TaskInfo& info);
std::vector<SufficientExpression> read_sufficient(const toml::table& source, const std::string& where,
                                                  const TaskFile& task);
FileReaderProgram read_reader(const toml::table& source, const std::string& where, const TaskInfo& info);

// The command by which the task's [reader] reads a file of observations, as --reader takes it; "" where the file is not
// one of those that it reads. Words that name files beside the task's own are paths. Throws a usage Error where nobody
// agreed to the task's programs.
std::string reader_for(const TaskFile& task, const std::filesystem::path& file);

// A command as a shell would take it, and which file is run where its first word is looked for on the PATH:
// "python3 simulate.py (python3 is /usr/bin/python3)"; and so of all that the task has run, "" where that is nothing.
std::string command_text(const std::vector<std::string>& command);
std::string command_text(const TaskFile& task);

}  // namespace pairs::own
