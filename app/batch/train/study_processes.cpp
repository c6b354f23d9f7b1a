#include "app/batch/train/study_processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/batch/parts/core_shares.h"

namespace pairs::batch {
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
