#pragma once

#include <filesystem>

namespace pairs::model {

// Opens the folder in the file manager. Throws Error if there is none. May take a moment: do not call it on the
// window's thread.
void show_folder(const std::filesystem::path& folder);

}  // namespace pairs::model
