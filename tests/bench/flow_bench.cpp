#include <ATen/CPUGeneratorImpl.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <limits>
#include <vector>

#include "core/heads/flow_matching_head.h"
#include "core/nn/adamw.h"
#include "core/nn/embedder.h"
#include "core/nn/view_embedder.h"
#include "core/ops/ops.h"
#include "tests/bench/convolution_rate.h"

namespace {

using namespace pairs;
using torch::Tensor;

// The networks of the preset `small` of novel views on random numbers, sets of one and two views in turn.
struct SmallViews {
  static constexpr std::int64_t kSide = 32, kEmbedding = 256;
  std::shared_ptr<FlowMatchingHead> head;
  std::shared_ptr<Embedder> embedder;
  std::vector<Tensor> parameters;
  Tensor x, offsets, theta, rest;

  SmallViews(std::int64_t batch, const std::string& precision) {
    const auto generator = at::detail::createCPUGenerator(1);
    EmbedderConfig view;
    view.kind = "view";
    view.size = kEmbedding;
    view.of<ViewEmbedder::Settings>().channels = {32, 64, 128};
    view.of<ViewEmbedder::Settings>().stride = 2;
    view.of<ViewEmbedder::Settings>().precision = precision;
    embedder = make_embedder(view, std::vector<std::int64_t>{6, kSide, kSide}, generator);
    FlowMatchingHead::Settings flow;
    flow.unet.channels = 32;
    flow.unet.multipliers = {1, 2, 2};
    flow.unet.blocks = 1;
    flow.unet.attention = {};
    flow.unet.time_size = 64;
    flow.given_size = 64;
    flow.hidden = 512;
    flow.context_layers = 3;
    flow.unet.context_map = true;
    flow.time_power = 3;
    flow.summary = 1;
    flow.summary_frequencies = 6;
    flow.precondition = true;
    flow.unet.precision = precision;
    HeadImage image;
    image.height = image.width = kSide;
    image.given = 4;
    image.map_channels = 3;
    image.map = [](const Tensor& given) {
      return given.narrow(1, 0, 3).unsqueeze(2).unsqueeze(3).expand({given.size(0), 3, kSide, kSide});
    };
    head = std::make_shared<FlowMatchingHead>(flow, image, kEmbedding + 5, generator);
    for (const auto& net :
         {std::static_pointer_cast<torch::nn::Module>(embedder), std::static_pointer_cast<torch::nn::Module>(head)})
      for (const Tensor& p : net->parameters()) parameters.push_back(p);
    std::vector<std::int64_t> at = {0};
    for (std::int64_t b = 0; b < batch; ++b) at.push_back(at.back() + 1 + b % 2);
    offsets = torch::tensor(at, torch::kLong);
    x = torch::rand({at.back(), 6, kSide, kSide});
    theta = torch::randn({batch, 3 * kSide * kSide});
    rest = torch::randn({batch, 5});
  }
};

void report_convolutions(benchmark::State& state, const std::string& precision, bool train, double flop,
                         std::int64_t images) {
  using benchmark::Counter;
  const double best = bench::best_convolution_rate(precision == "bf16" ? torch::kBFloat16 : torch::kFloat, train);
  state.SetItemsProcessed(state.iterations() * images);
  state.counters["FLOP/s"] = Counter(flop, Counter::kIsIterationInvariantRate);
  state.counters["of_convolution"] = Counter(flop / best, Counter::kIsIterationInvariantRate);
}

// A pretraining step without its rendering: embedder and head, forward, backward and AdamW.
void view_pretraining_step(benchmark::State& state, const char* precision) {
  const std::int64_t batch = state.range(0);
  const SmallViews nets(batch, precision);
  AdamW adam(nets.parameters, {.clip = 1.0});
  nets.head->train();
  for (auto _ : state) {
    const Tensor aggregates = ops::segment_mean(nets.embedder->forward(nets.x), nets.offsets);
    const Tensor context = torch::cat({aggregates, nets.rest}, 1);
    Loss{nets.head->loss(nets.theta, context), nets.head->auxiliary_loss(nets.theta, context)}.total().backward();
    adam.step(1e-5);
    adam.zero_grad();
  }
  report_convolutions(state, precision, true,
                      3 * (static_cast<double>(batch) * nets.head->flops() +
                           static_cast<double>(nets.x.size(0)) * nets.embedder->flops()),
                      batch);
}
BENCHMARK_CAPTURE(view_pretraining_step, bf16, "bf16")->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(view_pretraining_step, float32, "float32")->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();

// Posterior samples of one set, 50 Euler steps.
void view_sampling(benchmark::State& state, const char* precision) {
  const std::int64_t samples = state.range(0);
  const SmallViews nets(1, precision);
  nets.head->eval();
  const Tensor context = torch::randn({1, SmallViews::kEmbedding + 5});
  for (auto _ : state) benchmark::DoNotOptimize(nets.head->sample_path(context, samples, 1, 50, {}));
  report_convolutions(state, precision, false, 50 * static_cast<double>(samples) * nets.head->flops(), samples);
}
BENCHMARK_CAPTURE(view_sampling, bf16, "bf16")->Arg(4)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(view_sampling, float32, "float32")->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();

void view_embedding(benchmark::State& state, const char* precision) {
  torch::NoGradGuard no_grad;
  const SmallViews nets(1, precision);
  const std::int64_t views = state.range(0);
  const Tensor x = torch::rand({views, 6, SmallViews::kSide, SmallViews::kSide});
  for (auto _ : state) benchmark::DoNotOptimize(nets.embedder->forward(x));
  report_convolutions(state, precision, false, static_cast<double>(views) * nets.embedder->flops(), views);
}
BENCHMARK_CAPTURE(view_embedding, bf16, "bf16")->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();

// One normalization of 32 images of 32 channels, and LibTorch's group_norm, scale, shift and SiLU after one another.
void group_norm(benchmark::State& state, torch::ScalarType type, bool composed) {
  const Tensor x = torch::randn({32, 32, 32, 32}).to(type).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  const Tensor scale = torch::ones({32, 32}), shift = torch::zeros({32, 32});
  for (auto _ : state) {
    const Tensor y = composed ? torch::silu(torch::group_norm(x, 8) * scale.to(type).unsqueeze(2).unsqueeze(3) +
                                            shift.to(type).unsqueeze(2).unsqueeze(3))
                              : ops::group_norm_act(x, std::nullopt, scale, shift, 8, "silu");
    y.backward(x.detach());
    x.mutable_grad() = Tensor();
  }
  state.SetBytesProcessed(state.iterations() * 5 * static_cast<std::int64_t>(x.nbytes()));
}
BENCHMARK_CAPTURE(group_norm, bf16, torch::kBFloat16, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(group_norm, bf16_composed, torch::kBFloat16, true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(group_norm, float32, torch::kFloat, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(group_norm, float32_composed, torch::kFloat, true)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
