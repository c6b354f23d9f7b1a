#include "app/batch/train/rank_team.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "app/batch/parts/drive.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "core/parallel/own_address.h"
#include "core/version.h"

namespace pairs::batch {
namespace {

constexpr const char* kLaunched = "launched";
constexpr int kMostRanks = 4096;
constexpr std::int64_t kUsualSlots = 8;

int number_of_ranks(const std::string& text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc::result_out_of_range || value > kMostRanks)
    fail_usage("--ranks {} are more than {}, the maximum for one run", printable(text, 100), kMostRanks);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < 1 || (value & (value - 1)) != 0)
    fail_usage(
        "--ranks {} is neither a power of two of processes on this machine (1, 2, 4, ...) nor \"{}\", for processes "
        "that torchrun, mpirun or srun started",
        printable(text, 100), kLaunched);
  return value;
}

// Whether a setting is given by --set.
bool is_set(const NewRun& wanted, const std::string& key) {
  return std::any_of(wanted.set.begin(), wanted.set.end(),
                     [&](const std::string& one) { return one.starts_with(key + "="); });
}

// The meeting place of the ranks of a launch; none for a single rank.
std::optional<Rendezvous> meeting_of(const Launch& launch, const std::string& rendezvous) {
  if (launch.place.size == 1) return std::nullopt;
  if (const char* const file = std::getenv(kMeetingVariable); file != nullptr && *file != '\0' && rendezvous.empty())
    return Rendezvous::in_file(file);
  HostPort at{launch.host, launch.port};
  if (!rendezvous.empty())
    at = host_port(rendezvous);
  else if (at.host.empty() || at.port == 0)
    fail_usage(
        "The variables of {} do not name a place where its ranks can meet{}; add --rendezvous HOST:PORT, with the host "
        "of rank 0 and a free port",
        launch.by, launch.address_by.empty() ? "" : fmt::format(" (by {})", launch.address_by));
  check_meeting_host(at.host);
  if (rendezvous.empty() && !launch.attempt.empty()) return Rendezvous::served(at.host, at.port, launch.attempt);
  return launch.place.rank == 0 ? Rendezvous::listen(at.host, at.port) : Rendezvous::join(at.host, at.port);
}

// Each rank sends the folder in its command: those of two launches that meet at one address differ.
void check_one_run(Ranks& ranks, const std::filesystem::path& named) {
  const std::vector<std::string> all = ranks.gather_text(
      named.empty() ? "" : std::filesystem::absolute(named / "").lexically_normal().parent_path().string());
  for (int other = 1; other < ranks.size(); ++other)
    if (const std::string& its = all[static_cast<std::size_t>(other)]; its != all[0])
      fail("{} was started for {}, but {} for {}; start all ranks of a run with the same words", ranks.name(other),
           its.empty() ? "a new folder" : printable(its, 300), ranks.name(0),
           all[0].empty() ? "a new folder" : printable(all[0], 300));
}

}  // namespace

void add_rank_options(CLI::App& app, RankOptions& options) {
  app.add_option("--ranks", options.ranks,
                 "Train on so many processes of this machine together, a power of two, or \"launched\": on those that "
                 "torchrun, mpirun or srun started (docs/how-to/cluster.md)")
      ->type_name("K");
  app.add_option("--rendezvous", options.rendezvous,
                 "With --ranks launched: where the ranks meet, the host of rank 0 and a free port of it (default: the "
                 "launcher's)")
      ->type_name("HOST:PORT")
      ->needs("--ranks");
}

RankTeam::RankTeam(const RankOptions& options) : shared_(!options.ranks.empty()) {
  if (!shared_) return;
  if (options.ranks != kLaunched) {
    place_.size = number_of_ranks(options.ranks);
    if (!options.rendezvous.empty())
      fail_usage("--rendezvous is for ranks that a launcher started; write --ranks {}, or leave it out", kLaunched);
    if (place_.size > 1) meeting_ = Rendezvous::in_file(meeting_folder_.emplace() / "ranks");
    return;
  }
  const auto variable = [](const char* name) { return std::getenv(name); };
  const std::optional<Launch> found = launch(variable);
  if (const std::string half = found ? "" : half_set(variable); !half.empty())
    fail_usage("--ranks {} needs to know which rank this is of how many, but {}", kLaunched, half);
  if (!found)
    fail_usage(
        "--ranks {} needs a launcher, torchrun, mpirun or srun, and none has set its variables (RANK and WORLD_SIZE, "
        "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, SLURM_PROCID and SLURM_NTASKS, PMI_RANK and PMI_SIZE)",
        kLaunched);
  launched_ = true;
  place_ = found->place;
  if ((place_.size & (place_.size - 1)) != 0)
    fail_usage("{} started {} ranks, but a run is shared by a power of two of them: start 1, 2, 4, 8 and so on",
               found->by, place_.size);
  meeting_ = meeting_of(*found, options.rendezvous);
  if (meeting_ && leads())
    spdlog::info("Waiting for {} at {}: {} give their number as {}",
                 place_.size == 2 ? "the other rank" : fmt::format("{} other ranks", place_.size - 1), meeting_->name(),
                 found->set_by, place_.size);
}

void RankTeam::complete(NewRun& wanted) const {
  if (!shared_) return;
  if (!is_set(wanted, "slots"))
    wanted.set.push_back(fmt::format("slots={}", std::max<std::int64_t>(kUsualSlots, place_.size)));
  if (place_.size > 1 && wanted.device.empty() && !is_set(wanted, "device")) wanted.device = "cpu";
  // Recorded because the weights depend on it: a run resumed with another number of ranks keeps it.
  if (wanted.threads < 0 && !is_set(wanted, "threads"))
    wanted.threads = std::max(1, usable_cores() / (launched_ ? 1 : place_.size));
}

std::filesystem::path RankTeam::meet(const std::filesystem::path& folder, const std::filesystem::path& named,
                                     Stage until) {
  if (!meeting_) return folder;
  if (!launched_) others_ = std::make_unique<RankProcesses>(folder, until, place_.size, meeting_->name());
  Ranks::Options options;
  options.program = fmt::format("version {}", kVersion);
  options.stop = [this] {
    if (others_) others_->check();
    return !keep_going();
  };
  options.known_end = [this] { return others_ ? others_->end() : ""; };
  ranks_ = std::make_unique<Ranks>(place_, *meeting_, options);
  // Processes started by the first rank received its folder.
  check_one_run(*ranks_, launched_ ? named : folder);
  return ranks_->gather_text(leads() ? std::filesystem::absolute(folder).lexically_normal().string() : "").front();
}

void RankTeam::check_stop() const {
  if (ranks_ && keep_going())
    fail("Another rank was asked to stop: the run is saved, and continues when it is resumed");
}

}  // namespace pairs::batch
