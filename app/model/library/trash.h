#pragma once

#include <filesystem>

namespace pairs::model {

// Moves a file or folder to the user's trash, from where file managers can restore it (the home trash of the
// freedesktop.org Trash specification 1.0; nothing is copied, so it must be on the same file system). Returns its place
// there. Throws Error, and changes nothing, if that is not possible.
std::filesystem::path move_to_trash(const std::filesystem::path& path);
// Moves `place`, as returned by move_to_trash, back to `path` and deletes its record. Throws Error, and leaves it in
// the trash, if `path` exists or the file is no longer there.
void restore_from_trash(const std::filesystem::path& place, const std::filesystem::path& path);

}  // namespace pairs::model
