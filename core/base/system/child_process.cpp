#include "core/base/system/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

extern char** environ;

namespace pairs {
namespace {

// Pointers into the words, in the form that exec needs.
std::vector<char*> arguments_of(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

int open_for_appending(const std::filesystem::path& file) {
  // Without O_NONBLOCK, opening a pipe without a reader would block.
  Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666));
  const int refused = errno;
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  PAIRS_CHECK(!there || S_ISREG(status.st_mode) || file == "/dev/null",
              "Cannot write {}: it is a folder, a pipe or a device; remove it", printable(file.string(), 300));
  PAIRS_CHECK(opened >= 0, "Cannot write {}: {}; check the folder's permissions", printable(file.string(), 300),
              std::strerror(refused));
  return opened.release();
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words, const Surroundings& around) {
  const std::vector<char*> argv = arguments_of(words);
  const Descriptor out(open_for_appending(around.out)), err(open_for_appending(around.err));
  const pid_t parent = ::getpid();
  process_ = ::fork();
  PAIRS_CHECK(process_ >= 0, "Cannot start a process: {}; end others first", std::strerror(errno));
  if (process_ > 0) return;
  // The child may only make system calls.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);  // Ctrl+C reaches this process, which passes it on once
  if (::getppid() != parent) ::_exit(1);
  if (around.cores) ::sched_setaffinity(0, sizeof *around.cores, around.cores);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

ChildProcess::~ChildProcess() {
  if (!ended()) stop(SIGTERM);
  while (!ended()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

std::optional<int> ChildProcess::ended() {
  if (ended_) return ended_;
  int status = 0;
  const pid_t found = ::waitpid(process_, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return {};
  if (found > 0 && WIFSIGNALED(status)) ended_by_ = WTERMSIG(status);
  ended_ = found < 0 ? 127 : ended_by_ > 0 ? 128 + ended_by_ : WEXITSTATUS(status);
  return ended_;
}

void ChildProcess::stop(int signal) const {
  if (!ended_) ::kill(process_, signal);
}

pid_t start_detached(std::vector<std::string> words, const std::filesystem::path& log) {
  const std::vector<char*> argv = arguments_of(words);
  static_cast<void>(Descriptor(open_for_appending(log)));  // the spawned process would block on a pipe
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  PAIRS_CHECK(failed == 0, "{} cannot be started: {}", printable(words[0], 300), std::strerror(failed));
  return process;
}

}  // namespace pairs
