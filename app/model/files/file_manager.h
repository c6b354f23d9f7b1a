#pragma once

#include <filesystem>

namespace pairs::model {

// Starts the file manager and leaves it alone. Throws Error when there is none. Takes a moment: not for the window's
// thread.
void show_folder(const std::filesystem::path& folder);

}  // namespace pairs::model
