#include "core/base/caches.h"

#include <cstdlib>
#include <string_view>

#include "core/base/error.h"

namespace pairs {

std::filesystem::path caches_folder() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const auto own = variable("PAIRS_CACHE"); !own.empty()) return own;
  constexpr const char* kOurs = "pairs-studio";
  if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return std::filesystem::path(xdg) / kOurs;
  const auto home = variable("HOME");
  if (home.empty()) fail("No folder for what is kept between runs: set PAIRS_CACHE to one");
  return std::filesystem::path(home) / ".cache" / kOurs;
}

}  // namespace pairs
