#include "app/batch/train/rank_processes.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstring>
#include <thread>

#include "app/batch/parts/core_shares.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

using Clock = std::chrono::steady_clock;

// The times after which an unneeded process is asked to stop, and after which it is killed.
constexpr std::chrono::seconds kLeaving(1);
// The time for a rank's own error message to arrive, if there is one.
constexpr std::chrono::seconds kHearing(3);

}  // namespace

RankProcesses::RankProcesses(const std::filesystem::path& folder, Stage until, int ranks,
                             const std::filesystem::path& meeting) {
  const std::vector<cpu_set_t> shares = core_shares(ranks);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int rank = 1; rank < ranks; ++rank) {
    const std::filesystem::path said = log(static_cast<std::size_t>(rank) - 1);
    const cpu_set_t& share = shares[static_cast<std::size_t>(rank)];
    const ChildProcess::Surroundings around = {said, said, CPU_COUNT(&share) > 0 ? &share : nullptr};
    const std::vector<std::string> words = {"/usr/bin/env",
                                            "-u",
                                            "TORCHELASTIC_USE_AGENT_STORE",
                                            "-u",
                                            "MASTER_ADDR",
                                            "-u",
                                            "MASTER_PORT",
                                            fmt::format("RANK={}", rank),
                                            fmt::format("WORLD_SIZE={}", ranks),
                                            fmt::format("{}={}", kMeetingVariable, meeting.string()),
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

std::string RankProcesses::end_of(std::size_t k) {
  const std::optional<int> code = processes_[k]->ended();
  if (!code) return "";
  const int signal = processes_[k]->ended_by();
  return signal == 0 ? fmt::format("ended with exit code {}", *code)
                     : fmt::format("was ended by SIG{}", ::sigabbrev_np(signal));
}

std::string RankProcesses::last_words(std::size_t k) const {
  std::string said = read_file(log(k));
  while (said.ends_with('\n')) said.pop_back();
  const std::size_t line = said.rfind('\n');
  return printable(said.substr(line == said.npos ? 0 : line + 1), 500);
}

void RankProcesses::check() {
  for (std::size_t k = 0; k < processes_.size(); ++k) {
    const std::string end = end_of(k);
    if (end.empty()) continue;
    const std::string said = last_words(k);
    fail("Rank {} of this run {} before it began{}; see why, and resume the run", k + 1, end,
         said.empty() ? "" : ": " + said);
  }
}

std::string RankProcesses::end() {
  for (std::size_t k = 0; k < processes_.size(); ++k) {
    const std::string how = end_of(k);
    if (how.empty() || processes_[k]->ended() == 0) continue;
    if (!noticed_) noticed_ = Clock::now();
    if (Clock::now() - *noticed_ < kHearing) return "";
    const std::string said = last_words(k);
    return fmt::format("rank {} of this run {}{}", k + 1, how, said.empty() ? "" : ": " + said);
  }
  return "";
}

}  // namespace pairs::batch
