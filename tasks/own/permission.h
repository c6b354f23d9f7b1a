#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/own/task_file.h"

namespace pairs::own {

// Programs of own tasks run only after their command was seen and agreed to once. What was agreed to is kept for each
// person in $XDG_CONFIG_HOME/pairs-studio/allowed: the path of the task's file, the user whom it belongs to, and its
// whole text, which the command is part of, and the SHA-256 of the program's files beside it that the command names; a
// changed text, a changed program, another place or another owner is asked for again. The folder and its files are the
// person's alone (0700, 0600): others count for nothing.

// Throws a usage Error that shows the command where its task was not agreed to. Tells nothing of tasks without one.
void check_allowed(const TaskFile& task);
// Agrees to it, for this and every later process of the person. Throws Error where that cannot be kept.
void allow(const TaskFile& task);
bool is_allowed(const TaskFile& task);
// The files in the task's folder, and below it, that its commands name, in their order; one with an ending need not be
// there.
std::vector<std::filesystem::path> own_program_files(const TaskFile& task);
// These files with size and time of change: another text once one of them was changed.
std::string program_state(const TaskFile& task);
// The user whom the person's own file belongs to, where that is another than who runs this; else "".
std::string other_owner(const TaskFile& task);

}  // namespace pairs::own
