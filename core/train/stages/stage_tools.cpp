#include "core/train/stages/stage_tools.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/threads.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/stages/plan.h"

namespace pairs {

StageSetting::StageSetting(const RunConfig& config, const Ranks* ranks)
    : StageSetting(config, config.make_task(), ranks) {}

StageSetting::StageSetting(const RunConfig& config, std::shared_ptr<const Task> of, const Ranks* ranks)
    : task(std::move(of)),
      device(ranks && ranks->device() ? *ranks->device() : choose_device(config.device)),
      seed(static_cast<std::uint64_t>(config.seed)),
      recorded(config.recorded_steps && device.is_cuda()) {
  use_threads(config.threads);
  if (const StoredSets* stored = task->stored()) task = stored->serving(set_demands(config, task));
}

void finish_stage(const std::filesystem::path& run, const char* file, const RunConfig& config,
                  const Estimator& estimator, const OptimizeResult& result, Stage stage, nlohmann::json values,
                  Monitor& monitor) {
  // Logged before the file exists: a run killed in between logs it again, and readers use the last entry.
  Event event;
  event.type = EventType::stage_done;
  event.stage = stage;
  event.epoch = result.epochs;
  event.seconds = result.seconds;
  event.values = std::move(values);
  event.values["loss"] = result.train;
  event.values["validation"] = result.validation;
  monitor.event(event);
  in_turn(monitor, [&] {
    estimator.save(run / file, {{"stage", stage_name(stage)},
                                {"training_settings", training_settings(config)},
                                {"train_loss", fmt::format("{:.6g}", result.train)},
                                {"validation_loss", fmt::format("{:.6g}", result.validation)},
                                {"epochs", std::to_string(result.epochs)},
                                {"best_epoch", std::to_string(result.best_epoch)}});
    std::filesystem::remove(run / run_file::resume);
  });
}

std::function<void(const std::string&)> not_recorded(Stage stage, Monitor& monitor) {
  return [stage, &monitor](const std::string& why) {
    Event event;
    event.type = EventType::warning;
    event.stage = stage;
    event.values = {{"text", "the steps of this stage are not recorded but go on operator by operator: " + why}};
    monitor.event(event);
  };
}

void show_preview(Monitor& monitor, Stage stage, std::int64_t n, Estimator& estimator) {
  at::NoGradGuard no_grad;
  const Interruptible never({});  // only steps are interrupted, because they save
  estimator.train(false);
  monitor.preview({stage, n, estimator});
  estimator.train(true);
}

}  // namespace pairs
