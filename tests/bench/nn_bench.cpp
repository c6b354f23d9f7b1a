#include <ATen/CPUGeneratorImpl.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <vector>

#include "core/nn/adamw.h"
#include "core/nn/cnn.h"
#include "core/nn/embedder.h"
#include "core/nn/mlp.h"
#include "core/ops/ops.h"
#include "tests/bench/gemm_rate.h"

namespace {

using namespace pairs;
using torch::Tensor;

void report(benchmark::State& state, double flop) {
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flop, Counter::kIsIterationInvariantRate);
  state.counters["of_gemm"] = Counter(flop / bench::best_gemm_rate(), Counter::kIsIterationInvariantRate);
}

// The networks of the bump hunt: embedder, context, three transforms.
struct BumpHunt {
  std::shared_ptr<Mlp> embedder, context;
  std::vector<std::shared_ptr<Mlp>> transforms;
  std::vector<Tensor> parameters;

  BumpHunt() {
    const auto generator = at::detail::createCPUGenerator(1);
    embedder = std::make_shared<Mlp>(1, std::vector<std::int64_t>{128, 128}, 128, "silu", generator);
    context = std::make_shared<Mlp>(128, std::vector<std::int64_t>{128, 128}, 128, "relu", generator);
    for (int t = 0; t < 3; ++t) transforms.push_back(make_residual(128, 128, 2, 33, generator));
    const auto add = [&](const std::shared_ptr<Mlp>& net) {
      for (const Tensor& p : net->parameters()) parameters.push_back(p);
    };
    add(embedder);
    add(context);
    for (const auto& net : transforms) add(net);
  }
  double head_flops() const {
    double total = context->flops();
    for (const auto& net : transforms) total += net->flops();
    return total;
  }
  // Through the spline as for one target; aggregates [B, 128].
  Tensor loss(const Tensor& aggregates, const Tensor& theta) const {
    const Tensor features = context->forward(aggregates);
    Tensor y = theta, log_density;
    for (const auto& net : transforms) {
      auto [z, slope] = ops::quadratic_spline(y, net->forward(features), 16, false);
      y = z;
      log_density = log_density.defined() ? log_density + slope : slope;
    }
    return -log_density.mean();
  }
};

// A pretraining step without its simulation: 2048 sets of 1 or 2 observations.
void pretraining_step(benchmark::State& state) {
  const BumpHunt nets;
  AdamW adam(nets.parameters, {.clip = 1.0});
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t b = 0; b < 2048; ++b) offsets.push_back(offsets.back() + 1 + b % 2);
  const Tensor at = torch::tensor(offsets, torch::kLong), x = torch::rand({offsets.back(), 1}),
               theta = torch::rand({2048});
  for (auto _ : state) {
    nets.loss(ops::segment_mean(nets.embedder->forward(x), at), theta).backward();
    adam.step(1e-4);
    adam.zero_grad();
  }
  report(state, 3 * (static_cast<double>(offsets.back()) * nets.embedder->flops() + 2048 * nets.head_flops()));
}
BENCHMARK(pretraining_step)->Unit(benchmark::kMillisecond)->UseRealTime();

// A finetuning step on aggregates that are at hand.
void finetuning_step(benchmark::State& state) {
  const BumpHunt nets;
  AdamW adam(std::vector<Tensor>(nets.parameters.begin() + 6, nets.parameters.end()), {.clip = 1.0});
  const std::int64_t batch = state.range(0);
  const Tensor x = torch::randn({batch, 128}), theta = torch::rand({batch});
  for (auto _ : state) {
    nets.loss(x, theta).backward();
    adam.step(1e-4);
    adam.zero_grad();
  }
  report(state, 3 * static_cast<double>(batch) * nets.head_flops());
}
BENCHMARK(finetuning_step)->Arg(128)->Arg(1024)->Unit(benchmark::kMicrosecond)->UseRealTime();

void embedding(benchmark::State& state, const char* activation) {
  torch::NoGradGuard no_grad;
  const Mlp net(1, {128, 128}, 128, activation, at::detail::createCPUGenerator(1));
  const Tensor x = torch::rand({state.range(0), 1});
  for (auto _ : state) benchmark::DoNotOptimize(net.forward(x));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  report(state, static_cast<double>(state.range(0)) * net.flops());
}
BENCHMARK_CAPTURE(embedding, silu, "silu")->Arg(200000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(embedding, relu, "relu")->Arg(200000)->Unit(benchmark::kMillisecond)->UseRealTime();

void adamw_step(benchmark::State& state) {
  const BumpHunt nets;
  AdamW adam(nets.parameters, {.clip = 1.0});
  for (Tensor p : nets.parameters) p.mutable_grad() = torch::randn_like(p);
  for (auto _ : state) adam.step(1e-6);
}
BENCHMARK(adamw_step)->Unit(benchmark::kMicrosecond)->UseRealTime();

// The published image networks, forward, or forward and backward with `train`.
void images(benchmark::State& state, const char* kind, bool train, const char* precision = "float32") {
  EmbedderConfig config;
  config.kind = kind;
  auto& cnn = config.of<Cnn::Settings>();
  cnn.precision = precision;
  const bool resnet = config.kind == "resnet";
  if (!resnet) cnn.channels = {64, 128, 256, 256};
  const std::int64_t side = resnet ? 28 : 64;
  const std::vector<std::int64_t> shape = {1, side, side};
  const auto net = make_embedder(config, shape, at::detail::createCPUGenerator(1));
  const Tensor x = torch::rand({state.range(0), 1, side, side});
  torch::AutoGradMode mode(train);
  for (auto _ : state) {
    const Tensor y = net->forward(x);
    if (train) y.sum().backward();
  }
  report(state, (train ? 3 : 1) * static_cast<double>(state.range(0)) * net->flops());
}
BENCHMARK_CAPTURE(images, resnet_forward, "resnet", false)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(images, resnet_train, "resnet", true)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(images, cnn_forward, "cnn", false)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(images, cnn_train, "cnn", true)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(images, cnn_forward_bf16, "cnn", false, "bf16")
    ->Arg(64)
    ->Arg(500)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(images, cnn_train_bf16, "cnn", true, "bf16")
    ->Arg(64)
    ->Arg(150)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
