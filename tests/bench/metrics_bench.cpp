#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include "core/eval/metrics/metrics.h"

namespace pairs {
namespace {

torch::Tensor normals(torch::IntArrayRef shape) {
  return torch::randn(shape, torch::kFloat64);
}

void central_ranks_5000x1000x2(benchmark::State& state) {
  const torch::Tensor samples = normals({5000, 1000, 2}), truth = normals({5000, 2});
  for (auto _ : state) benchmark::DoNotOptimize(central_ranks(samples, truth, 1));
}
BENCHMARK(central_ranks_5000x1000x2)->Unit(benchmark::kMillisecond)->UseRealTime();

void noise_floor_5000x2(benchmark::State& state) {
  const torch::Tensor ranks = normals({5000, 2}).erf().abs();
  for (auto _ : state) benchmark::DoNotOptimize(acauc_noise_floor(ranks, 1000, state.range(0)));
}
BENCHMARK(noise_floor_5000x2)->Arg(1)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pairs
