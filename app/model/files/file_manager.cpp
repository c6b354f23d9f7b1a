#include "app/model/files/file_manager.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

extern char** environ;

namespace pairs::model {

void show_folder(const std::filesystem::path& folder) {
  // The shell reports "not found", and lets the file manager outlive this program.
  constexpr const char* kScript =
      "command -v xdg-open >/dev/null 2>&1 || exit 127; xdg-open \"$1\" </dev/null >/dev/null 2>&1 &";
  std::string path = folder.string();
  const char* const arguments[] = {"sh", "-c", kScript, "sh", path.c_str(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t shell = 0;
  const int failed =
      ::posix_spawn(&shell, "/bin/sh", nullptr, &attributes, const_cast<char* const*>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (failed == 0) ::waitpid(shell, &status, 0);
  PAIRS_CHECK(failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0,
              "No file manager can be started, because xdg-open is missing (package xdg-utils); the folder is {}",
              printable(path, 300));
}

}  // namespace pairs::model
