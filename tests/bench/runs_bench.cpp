// A window over many runs: what a frame of it costs with the Compare tab in view, and how much later it starts.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "app/gui/shell.h"
#include "app/model/studio.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/gui/platform/null_screen.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

// `count` finished and evaluated runs: one that was trained, and copies of it with other seeds and batches. Made once.
fs::path made_up_runs(std::int64_t count) {
  static const TemporaryFolder folder;
  const fs::path runs = folder / std::to_string(count);
  if (fs::exists(runs)) return runs;
  fs::create_directories(runs);
  if (count == 0) return runs;
  const fs::path first = model::small_run(runs, "run-0", "gaussian");
  const LoadedRun loaded = load_run(built_in_tasks(), first.string());
  model::QuietMonitor quiet;
  save_metrics(loaded, evaluate_in(quiet, loaded, evaluation_options(loaded)));
  for (std::int64_t i = 1; i < count; ++i) {
    const fs::path copy = runs / fmt::format("run-{}", i);
    fs::copy(first, copy, fs::copy_options::recursive);
    RunConfig config = read_run_toml(built_in_tasks(), copy / run_file::config);
    config.seed = i % 4;
    config.pretrain.batch = 16 + i / 4;
    write_file(copy / run_file::config, write_run_toml(config, "cpu"));
  }
  return runs;
}

model::Settings settings_of(const fs::path& runs) {
  setenv("XDG_DATA_HOME", (runs.parent_path() / "data").c_str(), 1);
  setenv("XDG_CONFIG_HOME", (runs.parent_path() / "config").c_str(), 1);
  model::Settings settings;
  settings.task = "gaussian";
  settings.tab = "compare";
  settings.dismissed = {"welcome"};
  settings.runs_folder = runs.string();
  settings.file_dialogs = "own";
  return settings;
}

struct OpenWindow {
  NullScreen screen{1440, 900};
  model::Studio studio;
  Shell shell{studio};
  explicit OpenWindow(const fs::path& runs) : studio(built_in_tasks(), settings_of(runs)) { recorder().turn(false); }

  void frame() {
    studio.poll();
    screen.frame([&] { shell.frame(60); });
  }
  void rest() {
    for (int still = 0; still < 20;) {
      frame();
      still = studio.busy() ? 0 : still + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
};

// range(0): runs. range(1): 0 at rest, 1 the table is scrolled, 2 it is folded and unfolded, and made anew.
void frame_of_runs(benchmark::State& state) {
  OpenWindow window(made_up_runs(state.range(0)));
  window.rest();
  bool fold = false;
  float turn = -3;
  window.screen.input.move(800, 250);
  window.frame();
  for (auto _ : state) {
    if (state.range(1) == 1) {
      window.screen.input.wheel(0, turn);
      turn = -turn;
    }
    if (state.range(1) == 2) window.studio.board.set_fold(fold = !fold);
    window.frame();
  }
  state.counters["rows"] = static_cast<double>(window.studio.board.view()->rows.size());
  state.counters["vertices"] = ImGui::GetDrawData()->TotalVtxCount;
}
BENCHMARK(frame_of_runs)
    ->ArgNames({"runs", "does"})
    ->Args({0, 0})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1000, 2})
    ->Unit(benchmark::kMillisecond);

// From nothing to the second frame; the listing goes on in the background.
void start_with_runs(benchmark::State& state) {
  const fs::path runs = made_up_runs(state.range(0));
  for (auto _ : state) {
    auto window = std::make_unique<OpenWindow>(runs);
    window->frame();
    window->frame();
    state.PauseTiming();
    window.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(start_with_runs)
    ->ArgName("runs")
    ->Arg(0)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

// From nothing to the whole table with every score.
void table_of_runs(benchmark::State& state) {
  const fs::path runs = made_up_runs(state.range(0));
  for (auto _ : state) {
    OpenWindow window(runs);
    window.rest();
  }
}
BENCHMARK(table_of_runs)
    ->ArgName("runs")
    ->Arg(0)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

}  // namespace
}  // namespace pairs::gui
