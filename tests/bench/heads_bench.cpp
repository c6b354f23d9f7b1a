#include <ATen/CPUGeneratorImpl.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <vector>

#include "core/heads/head.h"
#include "core/heads/spline_head.h"
#include "core/heads/umnn_head.h"
#include "core/nn/adamw.h"
#include "core/nn/cnn.h"
#include "core/nn/embedder.h"
#include "core/ops/ops.h"
#include "core/ops/umnn_integral.h"

namespace {

using namespace pairs;
using torch::Tensor;

// Rows of the bump hunt's spline: pretraining 2048, finetuning 128.
void spline_operator(benchmark::State& state) {
  const std::int64_t rows = state.range(0), bins = 16;
  const Tensor params = torch::randn({rows, 2 * bins + 1}).requires_grad_(), y = torch::rand({rows}).requires_grad_();
  const Tensor ones = torch::ones({rows});
  for (auto _ : state) {
    const auto [z, log_slope] = ops::quadratic_spline(y, params, bins, false);
    torch::autograd::backward({z, log_slope}, {ones, ones});
    params.mutable_grad().reset();
    y.mutable_grad().reset();
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
BENCHMARK(spline_operator)->Arg(128)->Arg(2048)->Unit(benchmark::kMicrosecond)->UseRealTime();

HeadConfig bump_hunt() {
  HeadConfig config;
  config.of<SplineHead::Settings>().support = "box";
  return config;
}

// One layer's shapes of the published UMNN heads: circle and digits.
HeadConfig umnn(bool digits) {
  HeadConfig config;
  config.kind = "umnn";
  config.of<UmnnHead::Settings>().transforms = digits ? 2 : 1;
  if (digits) {
    config.of<UmnnHead::Settings>().conditioner = {256, 256};
    config.of<UmnnHead::Settings>().conditioner_size = 64;
    config.of<UmnnHead::Settings>().integrand = {128, 128, 128};
  }
  return config;
}

std::shared_ptr<Head> build(const HeadConfig& config, std::int64_t d, std::int64_t context) {
  const double inf = std::numeric_limits<double>::infinity();
  const HeadTarget target = confines(config) ? HeadTarget{0, 1} : HeadTarget{-inf, inf};
  return make_head(config, std::vector<HeadTarget>(static_cast<std::size_t>(d), target), context,
                   at::detail::createCPUGenerator(1));
}

// Loss, gradients and AdamW of a head alone.
void head_step(benchmark::State& state, const HeadConfig& config, std::int64_t d, std::int64_t context) {
  const std::int64_t rows = state.range(0);
  auto head = build(config, d, context);
  head->train();
  const Tensor c = torch::randn({rows, context}), theta = torch::rand({rows, d});
  AdamW optimizer(head->parameters(), {});
  for (auto _ : state) {
    optimizer.zero_grad();
    head->loss(theta, c).backward();
    optimizer.step(1e-4);
  }
  state.counters["GFLOP/s"] = benchmark::Counter(3e-9 * head->flops() * static_cast<double>(rows),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(head_step, bump_hunt, bump_hunt(), 1, 128)
    ->Arg(128)
    ->Arg(2048)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(head_step, gaussian_task, HeadConfig(), 2, 129)
    ->Arg(256)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(head_step, umnn_circle, umnn(false), 1, 11)->Arg(100)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(head_step, umnn_digits, umnn(true), 1, 257)->Arg(256)->Unit(benchmark::kMicrosecond)->UseRealTime();

// Circle Radius as published, precision aside: a pretraining step of 100 sets of one or two images of 64 by 64 without
// their simulation, and the embedding of images. tests/bench/circle_vs_python.sh compares them with PyTorch.
std::shared_ptr<Embedder> circle_embedder(const char* precision) {
  EmbedderConfig config;
  config.kind = "cnn";
  config.size = 10;
  config.of<Cnn::Settings>().channels = {64, 128, 256, 256};
  config.of<Cnn::Settings>().kernels = {5, 5, 3, 3};
  config.of<Cnn::Settings>().precision = precision;
  return make_embedder(config, std::vector<std::int64_t>{1, 64, 64}, at::detail::createCPUGenerator(1));
}

void circle_step(benchmark::State& state, const char* precision) {
  const auto embedder = circle_embedder(precision);
  const auto head = build(umnn(false), 1, 11);
  head->train();
  std::vector<Tensor> parameters = embedder->parameters();
  for (const Tensor& p : head->parameters()) parameters.push_back(p);
  AdamW optimizer(parameters, {});
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t b = 0; b < 100; ++b) offsets.push_back(offsets.back() + 1 + b % 2);
  const Tensor at = torch::tensor(offsets, torch::kLong), theta = torch::randn({100, 1});
  const Tensor n = (at.slice(0, 1) - at.slice(0, 0, 100)).to(torch::kFloat).div(1000).unsqueeze(1);
  const Tensor x = torch::rand({offsets.back(), 1, 64, 64});
  for (auto _ : state) {
    optimizer.zero_grad();
    head->loss(theta, torch::cat({ops::segment_mean(embedder->forward(x), at), n}, 1)).backward();
    optimizer.step(3e-4);
  }
}
BENCHMARK_CAPTURE(circle_step, float32, "float32")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(circle_step, bf16, "bf16")->Unit(benchmark::kMillisecond)->UseRealTime();

void circle_embedding(benchmark::State& state, const char* precision) {
  torch::NoGradGuard no_grad;
  const auto embedder = circle_embedder(precision);
  const Tensor x = torch::rand({500, 1, 64, 64});
  for (auto _ : state) benchmark::DoNotOptimize(embedder->forward(x));
  state.SetItemsProcessed(state.iterations() * 500);
}
BENCHMARK_CAPTURE(circle_embedding, float32, "float32")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(circle_embedding, bf16, "bf16")->Unit(benchmark::kMillisecond)->UseRealTime();

// The UMNN integral, forward and backward: our operator against all nodes through plain ATen operators and autograd.
void integral(benchmark::State& state, bool fused, bool linear_act) {
  const std::int64_t rows = state.range(0), width = state.range(1), q = width == 64 ? 32 : 64, steps = 20;
  std::vector<Tensor> weights, biases;
  for (const auto& [out, in] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{width, 1 + q}, {width, width}, {width, width}, {1, width}}) {
    weights.push_back((torch::randn({out, in}) / std::sqrt(static_cast<double>(in))).requires_grad_());
    biases.push_back(torch::zeros({out}).requires_grad_());
  }
  const Tensor x = torch::randn({rows}).requires_grad_(), h = torch::randn({rows, q}).requires_grad_();
  const auto& rule = ops::clenshaw_curtis(steps);
  const Tensor nodes = torch::tensor(rule.nodes, torch::kFloat),
               quadrature = torch::tensor(rule.weights, torch::kFloat);
  const auto layer = [&](const Tensor& a, std::size_t l) {
    if (linear_act) return ops::linear_act(a, weights[l], biases[l], l < 3 ? "relu" : "none");
    const Tensor u = torch::linear(a, weights[l], biases[l]);
    return l < 3 ? torch::relu(u) : u;
  };
  const auto g_of = [&](const Tensor& t) {  // t [R, m]
    const Tensor wide = h.unsqueeze(1).expand({rows, t.size(1), q});
    Tensor a = torch::cat({t.unsqueeze(2), wide}, 2).view({rows * t.size(1), 1 + q});
    for (std::size_t l = 0; l < 4; ++l) a = layer(a, l);
    return (torch::elu(a) + 1.05).view({rows, t.size(1)});
  };
  for (auto _ : state) {
    Tensor z, g;
    if (fused) {
      std::tie(z, g) = ops::umnn_integral(x, h, weights, biases, steps);
    } else {
      const Tensor fixed = x.detach();
      g = g_of(x.unsqueeze(1)).squeeze(1);
      z = h.select(1, 0) + fixed * g_of(torch::outer(fixed, nodes)).mv(quadrature) + g.detach() * (x - fixed);
    }
    (z + g.log()).sum().backward();
    for (auto* list : {&weights, &biases})
      for (Tensor& p : *list) p.mutable_grad().reset();
  }
}
BENCHMARK_CAPTURE(integral, operator, true, false)
    ->Args({100, 64})
    ->Args({256, 128})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(integral, aten, false, false)
    ->Args({100, 64})
    ->Args({256, 128})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(integral, linear_act, false, true)
    ->Args({100, 64})
    ->Args({256, 128})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// One context's density on 2,000 points, and 1,500 draws, as the window asks for.
void grid(benchmark::State& state, const HeadConfig& config, std::int64_t context) {
  auto head = build(config, 1, context);
  head->eval();
  const Tensor c = torch::randn({1, context}), theta = torch::linspace(0, 1, 2000).view({1, 2000, 1});
  for (auto _ : state) benchmark::DoNotOptimize(head->log_prob_grid(theta, c));
}
void draws(benchmark::State& state, const HeadConfig& config, std::int64_t context) {
  auto head = build(config, 1, context);
  head->eval();
  const Tensor c = torch::randn({1, context});
  for (auto _ : state) benchmark::DoNotOptimize(head->sample(c, 1500, 1));
}
BENCHMARK_CAPTURE(grid, bump_hunt, bump_hunt(), 128)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(grid, umnn_circle, umnn(false), 11)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(grid, umnn_digits, umnn(true), 257)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draws, bump_hunt, bump_hunt(), 128)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draws, umnn_circle, umnn(false), 11)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draws, umnn_digits, umnn(true), 257)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
