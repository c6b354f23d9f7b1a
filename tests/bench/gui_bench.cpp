#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "tests/app/gui/platform/null_screen.h"

namespace pairs::gui {
namespace {

constexpr int kPlots = 5, kPoints = 100000;

// A noisy loss that falls, with a spike now and then.
std::shared_ptr<const Figure> history(int seed, AxisScale scale) {
  Figure figure;
  Plot plot;
  plot.title = "pretrain";
  plot.x = {"step", scale};
  plot.y = {"loss / nat"};
  Line line{"training", SeriesRole::pairs, LineStyle::solid, false, {}, {}, {}, {}};
  std::uint64_t state = static_cast<std::uint64_t>(seed) + 1;
  for (int i = 0; i < kPoints; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double noise = static_cast<double>(state >> 40) / (1 << 24) - 0.5;
    line.x.push_back(i + 1);
    line.y.push_back(1 / std::sqrt(1 + 0.001 * i) + 0.3 * noise + (i % 9973 == 0 ? 0.8 : 0));
  }
  plot.lines = {line};
  figure.plots = {plot};
  return std::make_shared<const Figure>(std::move(figure));
}

// The whole frame of a window with five plots. range(0): 0 nothing is new, 1 all figures are, 2 the mouse hovers,
// 3 one is
// zoomed. range(1): 1 logarithmic x axes.
void five_plots(benchmark::State& state) {
  NullScreen screen(1440, 900);
  recorder().turn(false);
  const AxisScale scale = state.range(1) ? AxisScale::log : AxisScale::linear;
  std::vector<PlotView> views;
  std::vector<std::shared_ptr<const Figure>> figures, others;
  for (int i = 0; i < kPlots; ++i) {
    views.emplace_back("plot" + std::to_string(i));
    figures.push_back(history(i, scale));
    others.push_back(history(i + kPlots, scale));
  }
  const auto frame = [&] {
    screen.frame([&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({1440, 900});
      ImGui::Begin("main", nullptr, ImGuiWindowFlags_NoDecoration);
      for (int i = 0; i < kPlots; ++i) {
        if (i % 3) ImGui::SameLine();
        views[static_cast<std::size_t>(i)].draw(figures[static_cast<std::size_t>(i)], {460, 420});
      }
      ImGui::End();
    });
  };
  frame();
  frame();
  if (state.range(0) >= 2) {
    screen.input.move(200, 200);
    frame();
    frame();
  }
  float turn = 1;
  for (auto _ : state) {
    if (state.range(0) == 1) figures.swap(others);
    if (state.range(0) == 3) {
      screen.input.wheel(0, turn);
      turn = -turn;
    }
    frame();
  }
  state.counters["vertices"] = ImGui::GetDrawData()->TotalVtxCount;
}
BENCHMARK(five_plots)
    ->ArgNames({"new", "log"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Args({2, 0})
    ->Args({3, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace pairs::gui
