#include <benchmark/benchmark.h>

#include "app/model/posterior/work/posterior_engine.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"

namespace {

using namespace pairs;
using namespace pairs::model;

// From a new N to what the window shows of it, with shipped weights and the set embedded: densities, moments,
// quantiles, distances and the figures, of ours and of every reference. The counters are the shares of ours and of the
// exact posterior.
void shown_posterior(benchmark::State& state, const char* run) {
  PosteriorEngine engine([] {});
  PosteriorRequest request;
  request.tasks = built_in_tasks();
  request.scene = 1;
  request.asked.run = run;
  request.device = "cpu";
  request.set.id = 1;
  request.asked.n = 1;
  engine.work(request, [] { return false; });
  const std::int64_t n = state.range(0);
  double ours = 0, exact = 0;
  for (auto _ : state) {
    request.asked.n = request.asked.n == n ? n + 1 : n;
    try {
      engine.work(request, [&] { return engine.result().snapshot->n == request.asked.n; });
    } catch (const Stopped&) {
    }
    state.PauseTiming();
    const auto shown = engine.result().snapshot;
    if (!shown || shown->n != request.asked.n) {
      state.SkipWithError(engine.result().failure.c_str());
      break;
    }
    for (const PosteriorNumbers& series : shown->series) {
      if (series.ours) ours += series.milliseconds;
      if (series.role == SeriesRole::exact) exact += series.milliseconds;
    }
    state.ResumeTiming();
  }
  state.counters["ours_ms"] = benchmark::Counter(ours, benchmark::Counter::kAvgIterations);
  state.counters["exact_ms"] = benchmark::Counter(exact, benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(shown_posterior, bump_hunt, "bump-hunt")
    ->Arg(30)
    ->Arg(99)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(shown_posterior, digits, "digits")->Arg(30)->Arg(999)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(shown_posterior, gaussian, "gaussian")
    ->Arg(30)
    ->Arg(99999)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
