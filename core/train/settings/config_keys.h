#pragma once

namespace pairs {

// The key of the task's name in every file of settings.
inline constexpr const char* kTaskName = "task.name";
// The key of the file that describes a custom task.
inline constexpr const char* kTaskFile = "task_file";

}  // namespace pairs
