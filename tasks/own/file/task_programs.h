#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/fields/table_reader.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// The programs and references that a task.toml names.

// A word of a command or a path, with ~/ at its start replaced by the user's home.
std::string with_home(const std::string& word);

// The tables [simulator], [reference], [sufficient] and [reader]. All throw a usage Error that names file and line.
SimulatorProgram read_simulator(const toml::table& source, const std::string& where);
ProgramReferenceSettings read_reference(const toml::table& source, const std::string& where, const TaskFile& task);
ReferenceFileSettings read_reference_file(const toml::table& source, const std::string& where, const TaskInfo& info);
std::vector<SufficientExpression> read_sufficient(const toml::table& source, const std::string& where,
                                                  const TaskFile& task);
FileReaderProgram read_reader(const toml::table& source, const std::string& where, const TaskInfo& info);

// The command by which the task's [reader] reads a file of observations, in the form of --reader; "" if the file is not
// one that it reads. Words that name files in the task's folder become paths. Throws a usage Error if the task's
// programs are not permitted.
std::string reader_for(const TaskFile& task, const std::filesystem::path& file);

// A command in shell notation, with the file that is run if its first word is searched for on the PATH: "python3
// simulate.py (python3 is /usr/bin/python3)"; and the same for everything that the task runs, "" if that is nothing.
std::string command_text(const std::vector<std::string>& command);
std::string command_text(const TaskFile& task);

}  // namespace pairs::own
