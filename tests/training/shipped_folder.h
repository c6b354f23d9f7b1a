#pragma once

#include <filesystem>
#include <string>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/read_settings.h"

namespace pairs {

// Makes `assets` a folder of assets: the program's presets, no weights. Name it in PAIRS_ASSETS afterwards.
inline void make_assets(const std::filesystem::path& assets) {
  std::filesystem::create_directories(assets / "weights");
  std::filesystem::create_directory_symlink(assets_folder() / "presets", assets / "presets");
}

// Adds weights/NAME: tiny untrained networks for the digits, recorded as trained on what the task draws from with the
// data folder `data`.
inline void ship_digits(const std::filesystem::path& assets, const std::string& name, const std::string& data) {
  RunConfig config =
      load_read(built_in_tasks(), built_in_tasks()->make("digits", {})->info(), "quick", "pairs",
                {"embedder.size=4", "embedder.layers=4", "embedder.channels=2,2,2", "embedder.projection=4",
                 "head.hidden=4", "head.conditioner=4,4", "head.integrand=4,4", "cache.sizes=10", "cache.sets=100",
                 "evaluate.sizes=1,10", "evaluate.sets=20", "evaluate.samples=10", "device=cpu"});
  const std::filesystem::path folder = create_run(config, assets / "weights" / name);
  config.data = data;
  Estimator estimator(built_in_tasks()->make("digits", config.task_options()), config.estimator, 3);
  estimator.set_max_n(1000);
  estimator.save(folder / run_file::estimator);
}

}  // namespace pairs
