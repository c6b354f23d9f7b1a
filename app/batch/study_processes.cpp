#include "app/batch/study_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/descriptor.h"
#include "core/base/error.h"

namespace pairs::batch {
namespace {

// The cores of this process, in as equal parts as they make; with fewer cores than parts they are shared.
std::vector<cpu_set_t> core_shares(int count) {
  cpu_set_t all;
  CPU_ZERO(&all);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof all, &all) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all)) cores.push_back(core);
  std::vector<cpu_set_t> shares(static_cast<std::size_t>(count));
  const auto total = static_cast<int>(cores.size());
  for (int k = 0; k < count; ++k) {
    cpu_set_t& share = shares[static_cast<std::size_t>(k)];
    CPU_ZERO(&share);
    const int first = k * total / count, last = std::max(first + 1, (k + 1) * total / count);
    for (int at = first; at < std::min(last, total); ++at) CPU_SET(cores[static_cast<std::size_t>(at)], &share);
  }
  return shares;
}

}  // namespace

StudyProcesses::StudyProcesses(const std::vector<std::string>& arguments, int count,
                               const std::filesystem::path& logs) {
  std::filesystem::create_directories(logs);
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::vector<cpu_set_t> shares = core_shares(count);
  for (int k = 0; k < count; ++k) {
    const auto log = logs / fmt::format("{}-{}.log", ::getpid(), k + 1);
    const Descriptor out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    PAIRS_CHECK(out >= 0, "Cannot write {}: {}; choose another folder with --out", log.string(), std::strerror(errno));
    const pid_t parent = ::getpid(), child = ::fork();
    PAIRS_CHECK(child >= 0, "Cannot start a process: {}; ask for fewer with --jobs", std::strerror(errno));
    if (child > 0) {
      processes_.push_back(child);
      continue;
    }
    // In the child nothing but calls to the kernel.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::setpgid(0, 0);  // Ctrl+C reaches this process, which passes it on once
    if (::getppid() != parent) ::_exit(1);
    const cpu_set_t& share = shares[static_cast<std::size_t>(k)];
    if (CPU_COUNT(&share) > 0) ::sched_setaffinity(0, sizeof share, &share);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

StudyProcesses::~StudyProcesses() {
  stop(SIGTERM);
  while (left() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

int StudyProcesses::left() {
  std::erase_if(processes_, [&](pid_t process) {
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
    if (ended > 0 && WIFSIGNALED(status))
      troubles_.push_back(fmt::format("process {} was ended by signal {}", process, WTERMSIG(status)));
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) > 1 && WEXITSTATUS(status) < 128)
      troubles_.push_back(fmt::format("process {} ended with exit code {}", process, WEXITSTATUS(status)));
    return true;
  });
  return static_cast<int>(processes_.size());
}

void StudyProcesses::stop(int signal) {
  for (const pid_t process : processes_) ::kill(process, signal);
}

}  // namespace pairs::batch
