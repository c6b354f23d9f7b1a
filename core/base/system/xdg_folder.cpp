#include "core/base/system/xdg_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace pairs {

std::filesystem::path home_folder() {
  if (const char* home = std::getenv("HOME"); home && *home == '/') return home;
  const passwd* user = ::getpwuid(::getuid());
  return user && user->pw_dir && *user->pw_dir == '/' ? user->pw_dir : "";
}

std::filesystem::path xdg_folder(const char* variable, const std::string& fallback) {
  if (const char* named = std::getenv(variable); named && *named == '/') return named;
  const std::filesystem::path home = home_folder();
  return home.empty() ? home : home / fallback;
}

}  // namespace pairs
