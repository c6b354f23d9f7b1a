#include "app/batch/rank_processes.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "app/batch/core_shares.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace pairs::batch {
namespace {

using Clock = std::chrono::steady_clock;

// After which a process that nobody needs any more is asked to end, and after which it is ended.
constexpr std::chrono::seconds kLeaving(1);

}  // namespace

RankProcesses::RankProcesses(const std::filesystem::path& folder, Stage until, int ranks, std::uint16_t port) {
  const std::vector<cpu_set_t> shares = core_shares(ranks);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int rank = 1; rank < ranks; ++rank) {
    const std::filesystem::path said = log(static_cast<std::size_t>(rank) - 1);
    const cpu_set_t& share = shares[static_cast<std::size_t>(rank)];
    const ChildProcess::Surroundings around = {said, said, CPU_COUNT(&share) > 0 ? &share : nullptr};
    const std::vector<std::string> words = {"/usr/bin/env",
                                            "-u",
                                            "TORCHELASTIC_USE_AGENT_STORE",
                                            fmt::format("RANK={}", rank),
                                            fmt::format("WORLD_SIZE={}", ranks),
                                            "MASTER_ADDR=127.0.0.1",
                                            fmt::format("MASTER_PORT={}", port),
                                            program,
                                            "--batch",
                                            "run",
                                            "--resume",
                                            std::filesystem::absolute(folder).string(),
                                            "--until",
                                            stage_name(until),
                                            "--ranks",
                                            "launched"};
    processes_.push_back(std::make_unique<ChildProcess>(words, around));
  }
  if (CPU_COUNT(&shares[0]) > 0) ::sched_setaffinity(0, sizeof shares[0], &shares[0]);
}

RankProcesses::~RankProcesses() {
  for (const int signal : {0, SIGTERM, SIGKILL}) {
    for (const auto& one : processes_)
      if (signal != 0) one->stop(signal);
    const auto until = Clock::now() + kLeaving;
    while (!all_ended() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool RankProcesses::all_ended() {
  bool all = true;
  for (const auto& one : processes_) all = one->ended() && all;
  return all;
}

std::filesystem::path RankProcesses::log(std::size_t k) const {
  return logs_ / fmt::format("rank-{}.log", k + 1).c_str();
}

void RankProcesses::check() {
  for (std::size_t k = 0; k < processes_.size(); ++k) {
    const std::optional<int> code = processes_[k]->ended();
    if (!code) continue;
    std::string said = read_file(log(k));
    while (said.ends_with('\n')) said.pop_back();
    const std::size_t line = said.rfind('\n');
    fail("Rank {} of this run ended with exit code {} before it began: {}", k + 1, *code,
         said.empty() ? "it said nothing" : printable(said.substr(line == said.npos ? 0 : line + 1), 500));
  }
}

}  // namespace pairs::batch
