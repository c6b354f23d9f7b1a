#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/files/files.h"

namespace pairs {

// Waits for the lock of a shared folder that the first process to come prepares for all (caches of views, of
// conformers), trying ten times a second. Throws Stopped when `stop` returns true, Error if the lock cannot be taken
// for another reason.
std::unique_ptr<FolderLock> wait_for_folder(const std::filesystem::path& folder, const std::function<bool()>& stop);

}  // namespace pairs
