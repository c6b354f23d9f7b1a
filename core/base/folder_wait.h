#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/files.h"

namespace pairs {

// Holds a folder that whoever comes first prepares for all (caches of views, of conformers), as soon as nobody else does:
// asked ten times a second. Throws Stopped where `stop` says so, Error where the lock cannot be taken for another reason.
std::unique_ptr<FolderLock> wait_for_folder(const std::filesystem::path& folder, const std::function<bool()>& stop);

}  // namespace pairs
