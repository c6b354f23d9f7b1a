#include "core/base/system/caches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "core/base/system/xdg_folder.h"
#include "core/base/text/error.h"

namespace pairs {

std::filesystem::path caches_folder() {
  if (const char* own = std::getenv("PAIRS_CACHE"); own && *own != 0) return own;
  const std::filesystem::path folder = xdg_folder("XDG_CACHE_HOME", ".cache");
  if (folder.empty()) fail("No folder for what is kept between runs: set PAIRS_CACHE to one");
  return folder / "pairs-studio";
}

std::string folder_state(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;
    if (!at->is_regular_file(unknown) || unknown) continue;
    const auto size = at->file_size(unknown);
    const auto changed = at->last_write_time(unknown).time_since_epoch().count();
    lines.push_back(fmt::format("{} {} {}\n", at->path().filename().string(), size, changed));
  }
  if (error) return "";
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace pairs
