#pragma once

#include <filesystem>

namespace pairs::model {

// Moves a file or folder to the user's trash, from where file managers can restore it (the home trash of the
// freedesktop.org Trash specification 1.0; nothing is copied, so it must lie on the same file system). Gives its place
// there. Throws Error, and leaves everything as it was, when that is not possible.
std::filesystem::path move_to_trash(const std::filesystem::path& path);
// Puts what move_to_trash gave as `place` back to `path`, and forgets its record. Throws Error, and leaves it in the
// trash, when something stands at `path` or it is no longer there.
void restore_from_trash(const std::filesystem::path& place, const std::filesystem::path& path);

}  // namespace pairs::model
