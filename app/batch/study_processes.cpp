#include "app/batch/study_processes.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

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
  const std::vector<cpu_set_t> shares = core_shares(count);
  for (int k = 0; k < count; ++k) {
    const auto log = logs / fmt::format("{}-{}.log", ::getpid(), k + 1);
    const cpu_set_t& share = shares[static_cast<std::size_t>(k)];
    const ChildProcess::Surroundings around = {log, log, CPU_COUNT(&share) > 0 ? &share : nullptr};
    processes_.push_back(std::make_unique<ChildProcess>(words, around));
  }
}

StudyProcesses::~StudyProcesses() {
  stop(SIGTERM);
  while (left() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

int StudyProcesses::left() {
  std::erase_if(processes_, [&](const std::unique_ptr<ChildProcess>& one) {
    const std::optional<int> code = one->ended();
    if (!code) return false;
    if (one->ended_by() > 0)
      troubles_.push_back(fmt::format("process {} was ended by signal {}", one->process(), one->ended_by()));
    else if (*code > 1 && *code < 128)
      troubles_.push_back(fmt::format("process {} ended with exit code {}", one->process(), *code));
    return true;
  });
  return static_cast<int>(processes_.size());
}

void StudyProcesses::stop(int signal) {
  for (const auto& one : processes_) one->stop(signal);
}

}  // namespace pairs::batch
