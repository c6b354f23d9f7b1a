#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tasks/registry.h"

namespace pairs {
namespace {

// Seconds of the processor that this process and those that it has started took so far.
double processor_seconds() {
  double ticks = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t name = text.rfind(')');
    if (name == text.npos) continue;
    std::istringstream fields(text.substr(name + 2));  // from the state on; the parent, then utime and stime
    std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    if (words.size() > 12 && words[1] == std::to_string(::getpid()))
      ticks += std::strtod(words[11].c_str(), nullptr) + std::strtod(words[12].c_str(), nullptr);
  }
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Sets a second, asked for as many at a time as a step takes or as a larger one would, of the task in $PAIRS_OWN_TASK
// (own_task_vs_numpy.sh), whose program must have been agreed to.
void own_sets(benchmark::State& state) {
  const char* file = std::getenv("PAIRS_OWN_TASK");
  if (!file) {
    state.SkipWithError("set PAIRS_OWN_TASK to a task.toml whose program was agreed to");
    return;
  }
  const Catalog tasks = built_in_tasks();
  const auto task = tasks->make(tasks->open(file), {"", {}, file});
  const std::int64_t sets = state.range(1), n = state.range(0);
  std::int64_t first = 0;
  const auto ask = [&] {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
    std::iota(indices.begin(), indices.end(), first);
    std::vector<SetRange> ranges;
    for (const std::int64_t index : indices) ranges.push_back({index, 0, n});
    first += sets;
    const Latents latents = task->latents(1, Purpose::pretrain, indices);
    benchmark::DoNotOptimize(task->observe(latents, 1, Purpose::pretrain, ranges, torch::kCPU));
  };
  ask();  // its programs start
  const double before = processor_seconds();
  for (auto _ : state) ask();
  state.counters["processor us/set"] =
      1e6 * (processor_seconds() - before) / static_cast<double>(sets * state.iterations());
  state.counters["sets/s"] =
      benchmark::Counter(static_cast<double>(sets * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(own_sets)->Args({2, 1024})->Args({2, 8192})->Args({100, 1024})->UseRealTime()->MinTime(3);

}  // namespace
}  // namespace pairs
