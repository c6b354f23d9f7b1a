#pragma once

#include <filesystem>

namespace pairs {

// Whoever asks next for the task of a file, or of a folder that holds one, reads it anew and starts its program anew,
// which may say something else by now. Those that have the task keep it.
void renew_task_file(const std::filesystem::path& file);

}  // namespace pairs
