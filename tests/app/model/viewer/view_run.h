#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/read_settings.h"

namespace pairs::model {

// A run FOLDER/NAME of the task novel-view whose networks are as they were drawn: tiny, and never trained.
inline std::string untrained_view_run(const std::filesystem::path& folder, const std::string& name,
                                      const std::vector<std::string>& assignments = {}) {
  std::vector<std::string> all = {"task.size=16",           "task.spheres=2",       "task.frame=world",
                                  "embedder.channels=8,8",  "embedder.size=8",      "embedder.precision=float32",
                                  "head.channels=8",        "head.multipliers=1,2", "head.blocks=1",
                                  "head.time_size=16",      "head.given_size=8",    "head.steps=6",
                                  "head.precision=float32", "device=cpu",           "threads=1"};
  all.insert(all.end(), assignments.begin(), assignments.end());
  const RunConfig config =
      load_read(built_in_tasks(), built_in_tasks()->make("novel-view", {})->info(), "quick", "pairs", all);
  const std::filesystem::path run = create_run(config, folder / name);
  Estimator estimator(built_in_tasks()->make(config.task, config.task_options()), config.estimator, 3);
  estimator.set_max_n(40);
  estimator.save(run / run_file::estimator);
  return run.string();
}

}  // namespace pairs::model
