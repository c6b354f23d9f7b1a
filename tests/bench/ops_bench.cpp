#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <vector>

#include "core/ops/gemm_tiles.h"
#include "core/ops/ops.h"
#include "core/ops/relu_pool.h"

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

// relu_pool of bfloat16 images of 32 x 32 pixels with so many channels, and its gradients, one thread. "GB/s" counts
// what has to be read and written: 2 and 0.75 bytes a number of x, once each way.
void relu_pool(benchmark::State& state) {
  const std::int64_t channels = state.range(0), images = 4096 / channels;
  const Tensor x =
      torch::randn({images, channels, 32, 32}).to(torch::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast);
  const Tensor leaf = x.clone().requires_grad_(true), ones = at::ones_like(ops::relu_pool(x));
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  for (auto _ : state) benchmark::DoNotOptimize(torch::autograd::grad({ops::relu_pool(leaf)}, {leaf}, {ones}));
  at::set_num_threads(threads);
  state.counters["GB/s"] =
      benchmark::Counter(5.5e-9 * static_cast<double>(x.numel()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(relu_pool)->Arg(16)->Arg(24)->Arg(64)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
