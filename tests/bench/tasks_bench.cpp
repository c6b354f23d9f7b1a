#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

#include "core/base/numbers/fast_normal.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

Latents latents_of(const Task& task, std::int64_t sets) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), 0);
  return task.latents(1, Purpose::check, indices);
}

void observe(benchmark::State& state, const char* name, std::int64_t sets, std::int64_t n) {
  const auto task = built_in_tasks()->make(name);
  const Latents latents = latents_of(*task, sets);
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < sets; ++k) ranges.push_back({k, 0, n});
  task->observe(latents, 1, Purpose::check, ranges, torch::kCPU);  // generated digits are drawn on first use
  for (auto _ : state) benchmark::DoNotOptimize(task->observe(latents, 1, Purpose::check, ranges, torch::kCPU));
  state.SetItemsProcessed(state.iterations() * sets * n);
}
BENCHMARK_CAPTURE(observe, gaussian_pairs, "gaussian", 2048, 2)->UseRealTime();
BENCHMARK_CAPTURE(observe, gaussian_long, "gaussian", 2, 100000)->UseRealTime();
BENCHMARK_CAPTURE(observe, bump_hunt_pairs, "bump-hunt", 2048, 2)->UseRealTime();
BENCHMARK_CAPTURE(observe, bump_hunt_long, "bump-hunt", 2000, 100)->UseRealTime();
BENCHMARK_CAPTURE(observe, digits_pairs, "digits", 256, 2)->UseRealTime();
BENCHMARK_CAPTURE(observe, digits_long, "digits", 4, 1000)->UseRealTime();

void latents(benchmark::State& state, const char* name) {
  const auto task = built_in_tasks()->make(name);
  for (auto _ : state) benchmark::DoNotOptimize(latents_of(*task, 2048));
  state.SetItemsProcessed(state.iterations() * 2048);
}
BENCHMARK_CAPTURE(latents, gaussian, "gaussian")->UseRealTime();
BENCHMARK_CAPTURE(latents, bump_hunt, "bump-hunt")->UseRealTime();
BENCHMARK_CAPTURE(latents, digits, "digits")->UseRealTime();

// One set: its posterior and the log density of the true value, as a paired gap needs them.
void posterior(benchmark::State& state, const char* name, const char* reference, std::int64_t n) {
  const auto task = built_in_tasks()->make(name);
  const std::int64_t sets = 32;
  const Latents latents = latents_of(*task, sets);
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < sets; ++k) ranges.push_back({k, 0, n});
  const torch::Tensor x = task->observe(latents, 1, Purpose::check, ranges, torch::kCPU);
  std::int64_t k = 0;
  for (auto _ : state) {
    const auto exact = task->reference(reference);
    exact->add(x.slice(0, k * n, (k + 1) * n));
    benchmark::DoNotOptimize(exact->log_density(latents.theta.slice(0, k, k + 1)));
    k = (k + 1) % sets;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(posterior, gaussian_100000, "gaussian", "exact", 100000);
BENCHMARK_CAPTURE(posterior, bump_hunt_100, "bump-hunt", "exact", 100);
BENCHMARK_CAPTURE(posterior, bump_hunt_naive_100, "bump-hunt", "naive product", 100);
BENCHMARK_CAPTURE(posterior, bump_hunt_per_event_100, "bump-hunt", "per-event classifier", 100);

void normals(benchmark::State& state) {
  std::vector<float> out(784);
  std::uint64_t item = 0;
  for (auto _ : state) {
    fill_normals(1, 2, item++, 1, 784, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * 784);
}
BENCHMARK(normals);

}  // namespace
}  // namespace pairs
