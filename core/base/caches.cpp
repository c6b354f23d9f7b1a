#include "core/base/caches.h"

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/xdg_folder.h"

namespace pairs {

std::filesystem::path caches_folder() {
  if (const char* own = std::getenv("PAIRS_CACHE"); own && *own != 0) return own;
  const std::filesystem::path folder = xdg_folder("XDG_CACHE_HOME", ".cache");
  if (folder.empty()) fail("No folder for what is kept between runs: set PAIRS_CACHE to one");
  return folder / "pairs-studio";
}

}  // namespace pairs
