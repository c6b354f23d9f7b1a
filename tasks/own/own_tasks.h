#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/own/task_file.h"
#include "tasks/task_description.h"

namespace pairs::own {

// Tasks that stand in files. Thread-safe. A file is read again whenever it is opened; the name then stands for what was
// read last under it, in a person's own file rather than in a copy that a run keeps.

// Whether a path is meant for a task's file: a TOML file that describes targets, or a folder with a task.toml that is no
// run's.
bool is_task_file(const std::filesystem::path& path);

// What a task.toml, or a folder that holds one, says. Throws a usage Error, also for a name of `built_in`.
TaskDescription describe(const std::filesystem::path& file, const std::vector<std::string>& built_in);
// The same of a text, as if it stood in `file`.
TaskDescription describe_text(const std::string& text, const std::filesystem::path& file,
                              const std::vector<std::string>& built_in);
// Whether the file that the name stands for says something else by now, or is gone.
bool changed_since_opened(const std::string& name);

// Opens a task.toml, or a folder that holds one, and tells its name. Throws a usage Error for a name of `built_in`.
std::string open_task(const std::filesystem::path& file, const std::vector<std::string>& built_in);
// Names of the tasks opened so far, in that order.
std::vector<std::string> opened_names();

// The task of a file, or, where that is "", of the name; null where none of that name was opened.
std::shared_ptr<const Task> make_task(const std::string& name, const std::string& file);

// Forgets what was made of a file or a folder that holds one: whoever asks for it next reads all of it anew and starts
// its program anew. Those that have it keep what they have.
void renew(const std::filesystem::path& file);

// The text of the copy that a new run of the task in `file` keeps.
std::string recorded_text(const std::filesystem::path& file);
// A sentence on what the person's own file says otherwise than the run's copy, "" where it says the same or is gone.
std::string changed_since(const std::filesystem::path& copy);

// Agrees to run the program of the task in `file`.
void allow_program(const std::filesystem::path& file);

}  // namespace pairs::own
