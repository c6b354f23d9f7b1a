#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "core/train/run/run.h"
#include "core/train/settings/config.h"
#include "core/train/stages/cache_writer.h"
#include "tasks/registry.h"
#include "tests/bench/beside.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

// Stage 2 of 3D Object Properties once the members of its pools are embedded: the preset quick's sets with five passes
// of augmentation, compared with one.
void pooled_cache_five_passes(benchmark::State& state) {
  const TemporaryFolder folder;
  setenv("PAIRS_CACHE", (folder.path() / "caches").c_str(), 1);
  struct Contestant {
    RunConfig config;
    std::shared_ptr<const Task> task;
    std::unique_ptr<Estimator> estimator;
    std::filesystem::path file;
  };
  std::vector<Contestant> all;
  for (const int passes : {1, 5}) {
    Contestant one;
    one.config = load_preset(
        built_in_tasks(), built_in_tasks()->make("objects")->info(), "quick", "pairs",
        {"task.objects=400", "task.passes=" + std::to_string(passes), "embedder.channels=[8,8,8,8]", "device=cpu"});
    one.task = built_in_tasks()->make("objects", one.config.task_options());
    one.estimator = std::make_unique<Estimator>(one.task, one.config.estimator, 1);
    one.file = folder.path() / std::to_string(passes) / "a.cache";
    std::filesystem::create_directories(one.file.parent_path());
    all.push_back(std::move(one));
  }
  const auto write = [](Contestant& one) {
    std::filesystem::remove(one.file);
    write_cache(one.file, *one.estimator, plan_groups(one.config.cache, false), 1, 0, 0, [] { return false; }, {});
  };
  for (Contestant& one : all) write(one);  // embeds
  for (auto _ : state) {
    const auto spent = bench::extra({[&] { write(all[0]); }, [&] { write(all[1]); }}, 2);
    state.counters["times_one_pass"] = spent[1].wall / spent[0].wall;
    state.counters["one_pass_s"] = spent[0].wall;
    state.counters["five_passes_s"] = spent[1].wall;
  }
}
BENCHMARK(pooled_cache_five_passes)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace pairs
