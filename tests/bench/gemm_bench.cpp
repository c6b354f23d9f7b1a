#include <benchmark/benchmark.h>

#include "tests/bench/gemm_rate.h"

namespace {

using namespace pairs::bench;

// Float32 matrix products m x n x n. "best" is what fractions elsewhere refer to.
void gemm(benchmark::State& state, Library library) {
  at::NoGradGuard no_grad;
  const std::int64_t m = state.range(0), n = state.range(1);
  const at::Tensor a = at::full({m, n}, 0.5f), b = at::full({n, n}, 0.25f);
  for (auto _ : state) benchmark::DoNotOptimize(multiply(library, a, b));
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * static_cast<double>(m * n * n), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["best"] = best_gemm_rate();
}
BENCHMARK_CAPTURE(gemm, mkl, Library::mkl)->Args({2048, 2048})->Args({2048, 128})->Args({128, 128})->UseRealTime();
BENCHMARK_CAPTURE(gemm, onednn, Library::onednn)
    ->Args({2048, 2048})
    ->Args({2048, 128})
    ->Args({128, 128})
    ->UseRealTime();

}  // namespace
