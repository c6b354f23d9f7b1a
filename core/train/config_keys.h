#pragma once

namespace pairs {

// The key of the task's name in every file of settings.
inline constexpr const char* kTaskName = "task.name";
// Of the file of a task of a person's own.
inline constexpr const char* kTaskFile = "task_file";

}  // namespace pairs
