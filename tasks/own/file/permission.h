#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/own/file/task_file.h"

namespace pairs::own {

// Programs of custom tasks run only after their command was shown and permitted once. Permissions are stored per user
// in $XDG_CONFIG_HOME/pairs-studio/allowed: the path of the task's file, its owner, its whole text, which includes the
// command, and the SHA-256 of the files in its folder that the command names. A changed text, a changed program,
// another place or another owner requires a new permission. The folder and its files must be private to the user (0700,
// 0600); others are ignored.

// Throws a usage Error that shows the command if it is not permitted. Does nothing for tasks without one.
void check_allowed(const TaskFile& task);
// Permits the command for this and every later process of the user. Throws Error if that cannot be stored.
void allow(const TaskFile& task);
bool is_allowed(const TaskFile& task);
// The files in the task's folder, and below it, that its commands name, in their order; names with an extension need
// not exist.
std::vector<std::filesystem::path> own_program_files(const TaskFile& task);
// These files with size and modification time: the text changes if one of them does.
std::string program_state(const TaskFile& task);
// The owner of the user's own file, if that is another user; else "".
std::string other_owner(const TaskFile& task);

}  // namespace pairs::own
