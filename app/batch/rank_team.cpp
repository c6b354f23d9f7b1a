#include "app/batch/rank_team.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "app/batch/drive.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/version.h"

namespace pairs::batch {
namespace {

constexpr const char* kLaunched = "launched";
constexpr int kMostRanks = 4096;
constexpr std::int64_t kUsualSlots = 8;

int number_of_ranks(const std::string& text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < 1 || value > kMostRanks ||
      (value & (value - 1)) != 0)
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

// Where the ranks of a launch meet; nothing where there is one alone.
std::optional<Rendezvous> meeting_of(const Launch& launch, const std::string& rendezvous) {
  if (launch.place.size == 1) return std::nullopt;
  HostPort at{launch.host, launch.port};
  if (!rendezvous.empty())
    at = host_port(rendezvous);
  else if (at.host.empty() || at.port == 0)
    fail_usage(
        "{} does not say where its ranks can meet; add --rendezvous HOST:PORT, with the host of rank 0 and a free port",
        launch.by);
  if (rendezvous.empty() && !launch.attempt.empty()) return Rendezvous::served(at.host, at.port, launch.attempt);
  return launch.place.rank == 0 ? Rendezvous::listen(at.host, at.port) : Rendezvous::join(at.host, at.port);
}

}  // namespace

void add_rank_options(CLI::App& app, RankOptions& options) {
  app.add_option("--ranks", options.ranks,
                 "Train on so many processes of this machine together, a power of two, or \"launched\": on those that "
                 "torchrun, mpirun or srun started (docs/cluster.md)")
      ->type_name("K");
  app.add_option("--rendezvous", options.rendezvous,
                 "With --ranks launched: where the ranks meet, the host of rank 0 and a free port of it (default: what "
                 "the launcher says)")
      ->type_name("HOST:PORT")
      ->needs("--ranks");
}

RankTeam::RankTeam(const RankOptions& options) : shared_(!options.ranks.empty()) {
  if (!shared_) return;
  if (options.ranks != kLaunched) {
    place_.size = number_of_ranks(options.ranks);
    if (!options.rendezvous.empty())
      fail_usage("--rendezvous is for ranks that a launcher started; write --ranks {}, or leave it out", kLaunched);
    if (place_.size > 1) meeting_ = Rendezvous::listen("127.0.0.1", 0);
    return;
  }
  const std::optional<Launch> found = launch([](const char* name) { return std::getenv(name); });
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
}

void RankTeam::complete(NewRun& wanted) const {
  if (!shared_) return;
  if (!is_set(wanted, "slots"))
    wanted.set.push_back(fmt::format("slots={}", std::max<std::int64_t>(kUsualSlots, place_.size)));
  if (place_.size > 1 && wanted.device.empty() && !is_set(wanted, "device")) wanted.device = "cpu";
}

std::filesystem::path RankTeam::meet(const std::filesystem::path& folder, Stage until) {
  if (!meeting_) return folder;
  if (!launched_) others_ = std::make_unique<RankProcesses>(folder, until, place_.size, meeting_->port());
  Ranks::Options options;
  options.program = fmt::format("version {}", kVersion);
  options.stop = [this] {
    if (others_) others_->check();
    return !keep_going();
  };
  ranks_ = std::make_unique<Ranks>(place_, *meeting_, options);
  return ranks_->gather_text(leads() ? std::filesystem::absolute(folder).lexically_normal().string() : "").front();
}

void RankTeam::check_stop() const {
  if (ranks_ && keep_going()) fail("Another rank was asked to stop: the run is saved, and goes on when it is resumed");
}

}  // namespace pairs::batch
