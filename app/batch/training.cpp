#include "app/batch/training.h"

#include <fmt/format.h>

#include <cmath>

#include "app/batch/arguments.h"
#include "app/batch/drive.h"
#include "app/common/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tasks/registry.h"

namespace pairs::batch {
namespace {

// Room for weights, checkpoints and logs beside the cache.
constexpr double kSmallFiles = 64.0 * 1024 * 1024;

std::vector<Event> stages_done(const std::filesystem::path& folder) {
  const auto log = folder / run_file::events;
  std::vector<Event> done;
  if (!std::filesystem::exists(log)) return done;
  for (Event& event : read_events(log.string()))
    if (event.type == "stage-done") done.push_back(std::move(event));
  return done;
}

}  // namespace

RunConfig resolve(const NewRun& wanted) {
  TaskOptions options;
  options.data = data_folder(wanted.data);
  const TaskInfo info = make_task(wanted.task, options)->info();
  std::vector<std::string> assignments = wanted.set;
  const auto assign = [&](const std::string& key, const std::string& value) {
    assignments.push_back(key + "=" + value);
  };
  if (wanted.seed >= 0) assign("seed", std::to_string(wanted.seed));
  if (wanted.threads >= 0) assign("threads", std::to_string(wanted.threads));
  if (!wanted.device.empty()) assign("device", wanted.device);
  RunConfig config = load_preset(info, wanted.preset, wanted.strategy, assignments);
  if (config.data.empty() || !wanted.data.empty()) config.data = options.data;
  if (!config.data.empty()) config.data = std::filesystem::absolute(config.data).lexically_normal().string();
  return config;
}

std::filesystem::path start_run(const RunConfig& config, const std::filesystem::path& folder) {
  const Expectation need = expect(config);
  const double seconds = need.pretrain_seconds + need.cache_seconds + need.finetune_seconds;
  const std::string source = make_task(config.task, config.task_options())->info().data_source;
  fmt::print(stderr, "{}, {}, {}: about {} (pretrain {}, cache {}, finetune {}), {}, {} of disk for the cache{}\n",
             config.task, config.preset, config.strategy, duration_text(seconds), duration_text(need.pretrain_seconds),
             duration_text(need.cache_seconds), duration_text(need.finetune_seconds), flop_text(need.gflop),
             byte_text(static_cast<std::uint64_t>(need.cache_bytes)), source == "simulated" ? "" : ", on " + source);
  const auto place = folder.empty() ? std::filesystem::path("runs") : folder;
  const auto bytes = static_cast<double>(free_disk_bytes(std::filesystem::absolute(place)));
  PAIRS_CHECK(need.cache_bytes + kSmallFiles <= bytes,
              "{} has {} free, but the run needs {}; free some, choose another place with --out, or lower cache.sets",
              place.string(), byte_text(static_cast<std::uint64_t>(bytes)),
              byte_text(static_cast<std::uint64_t>(need.cache_bytes + kSmallFiles)));
  return create_run(config, folder);
}

void train_run(const std::filesystem::path& folder, Stage until, ProgressPrinter& printer) {
  printer.line(fmt::format("run folder: {}", folder.string()));
  try {
    drive([&](Monitor& monitor) { execute_run(folder, monitor, until); }, printer);
  } catch (const Stopped&) {
    printer.line(fmt::format("continue with: pairs --batch run --resume {}", shell_word(folder.string())));
    throw;
  }
}

nlohmann::json run_document(const std::filesystem::path& folder) {
  const RunConfig config = read_run_toml(folder / run_file::config);
  const RunStatus status = run_status(folder);
  nlohmann::json out = {{"run", folder.string()},           {"task", config.task}, {"preset", config.preset},
                        {"strategy", config.strategy},      {"seed", config.seed}, {"finished", status.finished},
                        {"stages", nlohmann::json::array()}};
  for (const Event& event : stages_done(folder)) {
    nlohmann::json stage = event.values;
    stage["stage"] = stage_name(event.stage);
    stage["seconds"] = event.seconds;
    out["stages"].push_back(stage);
  }
  return out;
}

std::string run_text(const std::filesystem::path& folder) {
  Table table({{"stage", false}, {"time"}, {"sets"}, {"loss"}, {"validation"}});
  for (const Event& event : stages_done(folder)) {
    const auto number = [&](const char* key) {
      const auto value = event.values.find(key);
      return value != event.values.end() && value->is_number() ? value->get<double>() : std::nan("");
    };
    const double sets = number("sets");
    table.add({stage_name(event.stage), duration_text(event.seconds),
               std::isnan(sets) ? "–" : count_text(static_cast<std::int64_t>(sets)), number_text(number("loss"), 4),
               number_text(number("validation"), 4)});
  }
  const std::string name = shell_word(folder.string());
  const bool finished = run_status(folder).finished;
  return table.text() + (finished
                             ? fmt::format("\nRun: {0}\nNext: pairs --batch evaluate {0}\n", name)
                             : fmt::format("\nRun: {0}, not finished\nNext: pairs --batch run --resume {0}\n", name));
}

}  // namespace pairs::batch
