#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "tasks/registry.h"

namespace pairs {
namespace {

// Sets a second of the task in $PAIRS_OWN_TASK (own_task_vs_numpy.sh), whose program must have been agreed to.
void own_sets(benchmark::State& state) {
  const char* file = std::getenv("PAIRS_OWN_TASK");
  if (!file) {
    state.SkipWithError("set PAIRS_OWN_TASK to a task.toml whose program was agreed to");
    return;
  }
  const auto task = make_task(open_task_file(file), {"", {}, file});
  const std::int64_t sets = 1024, n = state.range(0);
  std::int64_t first = 0;
  for (auto _ : state) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
    std::iota(indices.begin(), indices.end(), first);
    std::vector<SetRange> ranges;
    for (const std::int64_t index : indices) ranges.push_back({index, 0, n});
    first += sets;
    const Latents latents = task->latents(1, Purpose::pretrain, indices);
    benchmark::DoNotOptimize(task->observe(latents, 1, Purpose::pretrain, ranges, torch::kCPU));
  }
  state.counters["sets/s"] =
      benchmark::Counter(static_cast<double>(sets * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(own_sets)->Arg(2)->Arg(100)->UseRealTime()->MinTime(3);

}  // namespace
}  // namespace pairs
