#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/many/many_sets.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"

// Compares many sets in one call with one call per set in one process, on the bump hunt with the shipped weights.

namespace {

using namespace pairs;

// Sets of 20 to 100 events, rows together, in a file, and the first of them in files of their own.
class SetFiles {
 public:
  SetFiles(std::int64_t sets, std::int64_t alone) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("pairs-sets-bench-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream all(together());
    all << "run,x\n";
    std::mt19937_64 random(1);
    std::normal_distribution<double> background, signal(1, 0.1);
    for (std::int64_t k = 0; k < sets; ++k) {
      const std::int64_t size = 20 + static_cast<std::int64_t>(random() % 81);
      std::ofstream own;
      if (k < alone) own.open(one(k));
      for (std::int64_t row = 0; row < size; ++row) {
        const std::string x = fmt::format("{:.6f}\n", random() % 5 == 0 ? signal(random) : background(random));
        all << k << ',' << x;
        if (own.is_open()) own << x;
      }
    }
  }
  ~SetFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path together() const { return folder_ / "sets.csv"; }
  std::filesystem::path one(std::int64_t k) const { return folder_ / fmt::format("{}.csv", k); }
  std::filesystem::path out() const { return folder_ / "samples.npz"; }

 private:
  std::filesystem::path folder_;
};

AskedRun shipped() {
  AskedRun run;
  run.loaded = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
  return run;
}

void sets_in_one_call(benchmark::State& state) {
  const std::int64_t sets = state.range(0);
  const SetFiles files(sets, 0);
  const AskedRun run = shipped();
  ManySetsQuestion question;
  question.size = [](const std::string&, std::int64_t held) { return held; };
  for (auto _ : state) {
    const auto stream = open_sets({.data = files.together(), .group = "run", .most = 100}, run.loaded.task->info());
    std::int64_t answered = 0;
    answer_sets(run, *stream, question, [&](const SetRow& row) { answered += row.problem.empty(); });
    if (answered != sets) state.SkipWithError("a set was not answered");
  }
  state.counters["sets/s"] =
      benchmark::Counter(static_cast<double>(sets * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(sets_in_one_call)->Arg(2000)->UseRealTime()->Unit(benchmark::kMillisecond);

// What `infer` does for each set, the run opened once. `whole`: with references and samples in a file, as the command
// answers; else the posterior alone.
void one_call_a_set(benchmark::State& state, bool whole) {
  constexpr std::int64_t kSets = 50;
  const SetFiles files(kSets, kSets);
  const AskedRun run = shipped();
  std::int64_t asked = 0;
  for (auto _ : state) {
    const auto set = std::make_shared<ObservedSet>(run.loaded.task, SetChoice{.file = files.one(asked++ % kSets)});
    SetPosterior posterior(set, {run});
    posterior.embed_until(set->held());
    const PosteriorAnswer answer = posterior.answer(set->held(), whole);
    benchmark::DoNotOptimize(answer.shown_numbers(*run.loaded.task, posterior.runs().front()));
    if (whole) write_samples(files.out(), {{"samples", posterior.samples(answer, 1000, 1)}}, run.loaded.task->info());
  }
  state.counters["sets/s"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(one_call_a_set, as_infer_answers, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_call_a_set, posterior_alone, false)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
