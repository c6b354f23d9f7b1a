#include "app/runs/new_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/runs/places.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/load.h"
#include "core/base/threads/threads.h"
#include "core/train/stages/expected_time.h"

namespace pairs {
namespace {

// Space for weights, checkpoints and logs in addition to the cache.
constexpr double kSmallFiles = 64.0 * 1024 * 1024;

// Throws for a setting given twice: by assignments "key=value" of --set, or by separate options.
void check_given_once(const NewRun& wanted) {
  std::map<std::string, std::string> given;  // key, and how it was given
  if (wanted.seed >= 0) given["seed"] = fmt::format("--seed {}", wanted.seed);
  if (wanted.threads >= 0) given["threads"] = fmt::format("--threads {}", wanted.threads);
  if (!wanted.device.empty()) given["device"] = fmt::format("--device {}", wanted.device);
  if (!wanted.data.empty()) given["data"] = fmt::format("--data {}", printable(wanted.data, 300));
  for (const std::string& assignment : wanted.set) {
    const std::string written = fmt::format("--set {}", printable(assignment, 300));
    const auto [first, added] = given.emplace(assigned_key(assignment), written);
    if (!added)
      fail_usage("The setting {} is given twice, by {} and by {}; leave one of them out", SettingKey{first->first},
                 first->second, written);
  }
}

}  // namespace

RunConfig resolve(const Tasks& tasks, const NewRun& wanted) {
  check_given_once(wanted);
  TaskOptions options;
  options.data = data_folder(wanted.data);
  const TaskInfo info = tasks->make(wanted.task, options)->info();
  std::vector<std::string> assignments = wanted.set;
  const auto assign = [&](const std::string& key, const std::string& value) {
    assignments.push_back(key + "=" + value);
  };
  if (wanted.seed >= 0) assign("seed", std::to_string(wanted.seed));
  if (wanted.threads >= 0) assign("threads", std::to_string(wanted.threads));
  if (!wanted.device.empty()) assign("device", wanted.device);
  RunConfig config = load_preset(tasks, info, wanted.preset, wanted.strategy, assignments);
  if (config.data.empty() || !wanted.data.empty()) config.data = options.data;
  if (!config.data.empty()) config.data = std::filesystem::absolute(config.data).lexically_normal().string();
  return config;
}

std::string run_command(const TaskCatalog& tasks, const NewRun& wanted, const std::filesystem::path& out) {
  // A custom task is identified by its file.
  const std::vector<std::string> own = tasks.own_names();
  const bool is_own = std::find(own.begin(), own.end(), wanted.task) != own.end();
  const std::string task = is_own ? tasks.make(wanted.task)->info().file : wanted.task;
  std::string command = fmt::format("pairs --batch run {}{} --preset {} --strategy {}", is_own ? "--task-file " : "",
                                    shell_word(task), shell_word(wanted.preset), shell_word(wanted.strategy));
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& assignment : wanted.set) add("--set", assignment);
  if (wanted.seed >= 0) add("--seed", std::to_string(wanted.seed));
  if (wanted.threads >= 0) add("--threads", std::to_string(wanted.threads));
  if (!wanted.device.empty()) add("--device", wanted.device);
  if (!wanted.data.empty()) add("--data", wanted.data);
  if (!out.empty()) add("--out", out.string());
  return command;
}

void check_room(double cache_bytes, const std::filesystem::path& folder, const std::string& elsewhere) {
  const auto bytes = static_cast<double>(free_disk_bytes(std::filesystem::absolute(folder)));
  PAIRS_CHECK(cache_bytes + kSmallFiles <= bytes, "{} has {} free, but the run needs {}; free some, {}, or lower {}",
              folder.string(), byte_text(static_cast<std::uint64_t>(bytes)),
              byte_text(static_cast<std::uint64_t>(cache_bytes + kSmallFiles)), elsewhere, "cache.sets"_key);
}

namespace {

int threads_of(const RunConfig& config) {
  const int most = usable_cores();
  return config.threads > 0 ? std::min<int>(config.threads, most) : most;
}

}  // namespace

std::string expected_text(const RunConfig& config, const ExpectedCost& need) {
  const auto range = [&](double seconds) { return range_text(expected_range(need, seconds, threads_of(config))); };
  const std::string all = range(whole_seconds(need));
  const std::string before =
      need.simulate_seconds > 0 ? fmt::format("simulations {}, ", range(need.simulate_seconds)) : "";
  const std::string after =
      need.likelihood_seconds > 0 ? fmt::format(", likelihood {}", range(need.likelihood_seconds)) : "";
  if (!strategy(config.strategy).stages_2_and_3)
    return before.empty() && after.empty()
               ? all
               : fmt::format("{} ({}training {}{})", all, before, range(need.pretrain_seconds), after);
  return fmt::format("{} ({}pretrain {}, cache {}, finetune {}{})", all, before, range(need.pretrain_seconds),
                     range(need.cache_seconds), range(need.finetune_seconds), after);
}

std::string busy_note(const RunConfig& config, const ExpectedCost& need) {
  return busy_sentence(need.others, need.cores, threads_of(config));
}

}  // namespace pairs
