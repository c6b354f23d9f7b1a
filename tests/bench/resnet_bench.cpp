#include <ATen/CPUGeneratorImpl.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/resnet.h"
#include "tests/bench/convolution_rate.h"

namespace {

using namespace pairs;
using torch::Tensor;

// The objects' network at 224 x 224, forward and backward, or forward alone. "of_convolution": its FLOP/s, three times
// the forward pass for both, over the best convolution rate of the same precision and direction in this process.
void resnet18(benchmark::State& state, const char* precision, bool train) {
  EmbedderConfig config;
  config.kind = "resnet";
  config.size = 16;
  config.of<ResNet::Settings>() = {.channels = {64, 64, 128, 256, 512},
                                   .blocks = 2,
                                   .stem_kernel = 7,
                                   .stem_stride = 2,
                                   .stem_pool = true,
                                   .projection = {},
                                   .precision = precision};
  const auto net = make_embedder(config, std::vector<std::int64_t>{3, 224, 224}, at::detail::createCPUGenerator(1));
  const auto type = config.of<ResNet::Settings>().precision == "bf16" ? torch::kBFloat16 : torch::kFloat;
  double best = bench::best_convolution_rate(type, train);
  const Tensor x = torch::rand({state.range(0), 3, 224, 224});
  {
    torch::AutoGradMode mode(train);
    for (auto _ : state) {
      const Tensor y = net->forward(x);
      if (train) y.sum().backward();
    }
  }
  // Before and after: the machine may have other work meanwhile.
  best = std::max(best, bench::best_convolution_rate(type, train));
  using benchmark::Counter;
  const double flop = (train ? 3 : 1) * static_cast<double>(state.range(0)) * net->flops();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["FLOP/s"] = Counter(flop, Counter::kIsIterationInvariantRate);
  state.counters["of_convolution"] = Counter(flop / best, Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(resnet18, train, "float32", true)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(resnet18, train_bf16, "bf16", true)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(resnet18, forward, "float32", false)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(resnet18, forward_bf16, "bf16", false)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
