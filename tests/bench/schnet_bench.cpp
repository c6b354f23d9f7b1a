#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/nn/embedder.h"
#include "core/ops/neighbors.h"

namespace {

using namespace pairs;
using torch::Tensor;

// Conformers of 45 atoms as dense as drug molecules: some 11 cubic Angstrom an atom.
Observations conformers(std::int64_t count) {
  constexpr std::int64_t kAtoms = 45;
  auto generator = at::detail::createCPUGenerator(1);
  const Tensor z = torch::randint(1, 17, {count * kAtoms, 1}, generator).to(torch::kFloat),
               place = std::cbrt(11.0 * kAtoms) * torch::rand({count * kAtoms, 3}, generator);
  return Observations::ragged(at::cat({z, place}, 1), torch::arange(count + 1, torch::kLong) * kAtoms);
}

// The published SchNet: forward, or forward and backward with `train`.
void schnet(benchmark::State& state, bool train) {
  EmbedderConfig config;
  config.kind = "schnet";
  const auto net = make_embedder(config, ObservationShape{{4}, 45}, at::detail::createCPUGenerator(1));
  const Observations x = conformers(state.range(0));
  torch::AutoGradMode mode(train);
  for (auto _ : state) {
    const Tensor y = net->forward(x);
    if (train) y.sum().backward();
    benchmark::DoNotOptimize(y);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(schnet, forward, false)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(schnet, train, true)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

void neighbors(benchmark::State& state) {
  const Observations x = conformers(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(ops::nearest_neighbors(x.rows().slice(1, 1), x.offsets(), 10, 32).index);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(neighbors)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
