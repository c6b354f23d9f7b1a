#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <vector>

#include "core/ops/gemm_tiles.h"
#include "core/ops/ops.h"

namespace {

using namespace pairs;
using torch::Tensor;

// The register tiles alone, one thread: 96 rows through a layer of 128, and the gradient of its weights.
void tiles(benchmark::State& state, const char* name, bool outer) {
  const ops::GemmTiles* tiles = ops::gemm_tiles(name);
  if (tiles == nullptr) {
    state.SkipWithError("this processor lacks the instruction set");
    return;
  }
  constexpr std::int64_t m = 96, n = 128;
  std::vector<float> a(m * n, 0.5f), w(n * n, 0.25f), c(n * n),
      panels(static_cast<std::size_t>(tiles->packed_size(n, n)));
  tiles->pack_transposed(w.data(), n, n, panels.data());
  for (auto _ : state) {
    if (outer)
      tiles->outer(a.data(), n, a.data(), n, m, n, n, c.data());
    else
      tiles->multiply(a.data(), n, m, n, panels.data(), n, nullptr, c.data(), n, false);
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * m * n * n, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(tiles, avx512_multiply, "avx512", false);
BENCHMARK_CAPTURE(tiles, avx512_outer, "avx512", true);
BENCHMARK_CAPTURE(tiles, avx2_multiply, "avx2", false);
BENCHMARK_CAPTURE(tiles, avx2_outer, "avx2", true);

// Means of sets of 1 or 2 rows of 128, and of sets of 100.
void segment_mean(benchmark::State& state) {
  const std::int64_t sets = state.range(0), rows = state.range(1);
  const Tensor offsets = torch::arange(sets + 1) * rows, x = torch::rand({sets * rows, 128}).requires_grad_(true);
  const Tensor ones = torch::ones({sets, 128});
  for (auto _ : state) {
    ops::segment_mean(x, offsets).backward(ones);
    x.mutable_grad().reset();
  }
  state.SetItemsProcessed(state.iterations() * sets * rows);
}
BENCHMARK(segment_mean)->Args({2048, 2})->Args({128, 100})->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
