#include "core/train/run/rank_run.h"

#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/train/run/rank_monitor.h"

namespace pairs {
namespace {

// The device of this rank: if a run's device is "cuda", ranks on one machine take its usable GPUs in turn.
torch::Device device_of(Ranks& ranks, const RunConfig& config) {
  const auto turn = static_cast<std::size_t>(ranks.place_on_machine());
  std::vector<std::string> gpus;
  if (config.device == "cuda")
    for (const DeviceInfo& device : list_devices())
      if (device.name != "cpu" && device.usable) gpus.push_back(device.name);
  return choose_device(gpus.empty() ? config.device : gpus[turn % gpus.size()]);
}

void connect(Ranks& ranks, const RunConfig& config) {
  ranks.connect_devices(device_of(ranks, config));
  if (ranks.leads() && !ranks.route_of_gpus().empty())
    spdlog::info("The ranks' GPUs exchange gradients {}", ranks.route_of_gpus());
}

void train(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Stage until) {
  prepare_data(run, config, monitor);
  pretrain(run, config, monitor);
  see_alike(run, monitor);
  if (!strategy(config.strategy).stages_2_and_3) {
    in_turn(monitor, [&] {
      if (!std::filesystem::exists(run / run_file::estimator))
        write_file(run / run_file::estimator, read_file(run / run_file::pretrained));
      std::filesystem::remove(run / run_file::resume);
    });
  } else if (until != Stage::pretrain) {
    build_cache(run, config, monitor);
    see_alike(run, monitor);
    if (until != Stage::cache) finetune(run, config, monitor);
  }
  if (Ranks* const ranks = monitor.ranks()) ranks->meet();
}

}  // namespace

void check_slots(const std::string& run, std::int64_t slots, int ranks) {
  if (ranks == 1) return;
  if (slots == 0)
    fail_usage("{} {} = 0, which one rank alone trains on; go on without --ranks, or start a new run with --ranks", run,
               "slots"_key);
  if (slots % ranks != 0)
    fail_usage("{} {} = {}, which {} ranks cannot share; take fewer, or start a new run with --set slots={}", run,
               "slots"_key, slots, ranks, ranks);
}

void train_stages(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Stage until,
                  Ranks* ranks) {
  if (ranks == nullptr) return train(run, config, monitor, until);
  check_slots(fmt::format("{} has", run.string()), config.slots, ranks->size());
  RankMonitor together(monitor, *ranks);
  see_alike(run, together);
  connect(*ranks, config);
  train(run, config, together, until);
}

void follow_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until, Ranks& ranks) {
  RankMonitor together(monitor, ranks);
  see_alike(run, together);
  const RunConfig config = read_run_toml(tasks, run / run_file::config);
  check_slots(fmt::format("{} has", run.string()), config.slots, ranks.size());
  connect(ranks, config);
  train(run, config, together, until);
}

}  // namespace pairs
