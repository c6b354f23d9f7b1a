#pragma once

#include <filesystem>
#include <string>

#include "core/train/run/run.h"
#include "core/train/settings/stages.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/read_settings.h"

namespace pairs::model {

class QuietMonitor : public Monitor {
 public:
  void event(const Event&) override {}
  void progress(const Progress&) override {}
  bool should_stop() override { return false; }
};

// A configuration whose stages take a fraction of a second each.
inline RunConfig small_config(const std::string& task, const std::string& strategy = "pairs",
                              const Tasks& tasks = built_in_tasks()) {
  return load_read(tasks, tasks->make(task)->info(), "quick", strategy,
                   {"embedder.layers=8,8",
                    "embedder.size=8",
                    "head.hidden=8",
                    "head.transforms=2",
                    "head.bins=4",
                    "head.context_layers=1",
                    "head.blocks=1",
                    "pretrain.epochs=2",
                    "pretrain.steps=4",
                    "pretrain.batch=16",
                    "pretrain.validation_sets=32",
                    "cache.sizes=10",
                    "cache.sets=40",
                    "finetune.epochs=2",
                    "finetune.steps=4",
                    "finetune.batch=8",
                    "finetune.validation_draws=32",
                    "evaluate.sizes=1,10",
                    "evaluate.sets=40",
                    "evaluate.samples=20",
                    "device=cpu",
                    "threads=1"});
}

// A finished run FOLDER/NAME.
inline std::string small_run(const std::filesystem::path& folder, const std::string& name, const std::string& task,
                             std::int64_t seed = 1, const std::string& strategy = "pairs",
                             const std::vector<std::string>& assignments = {}, const Tasks& tasks = built_in_tasks()) {
  RunConfig config = small_config(task, strategy, tasks);
  config.seed = seed;
  std::vector<Field> table = fields(config);
  for (const std::string& one : assignments) set_field(table, one);
  const std::filesystem::path run = create_run(config, folder / name);
  QuietMonitor quiet;
  execute_run(tasks, run, quiet);
  return run.string();
}

}  // namespace pairs::model
