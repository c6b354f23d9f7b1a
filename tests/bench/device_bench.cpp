// Training steps of every task on the device that the program would select, relative to that device's best matrix
// product in the same process ("of_gemm") and, for the simulators, in observations a second.
#include <ATen/Functions.h>
#include <ATen/record_function.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/gpu/devices.h"
#include "core/nn/adamw.h"
#include "core/train/settings/config.h"
#include "core/train/settings/source.h"
#include "core/train/stages/set_gradients.h"
#include "core/train/stages/stage_tools.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

constexpr std::uint64_t kSeed = 1;

const torch::Device& best_device() {
  static const torch::Device device = choose_device("auto");
  return device;
}

// What was asked of a GPU is done only when a value of it is read.
void await_device() {
  if (best_device().is_cuda()) at::zeros({1}, best_device()).item<float>();
}

// FLOP/s of the fastest of some square matrix products; of 1024 rows on a CPU, of 8192 on a GPU.
double matrix_rate(at::ScalarType type) {
  static std::map<at::ScalarType, double> known;
  if (const auto found = known.find(type); found != known.end()) return found->second;
  const at::NoGradGuard no_grad;
  const std::int64_t n = best_device().is_cuda() ? 8192 : 1024;
  const at::Tensor a = at::randn({n, n}, at::TensorOptions(best_device())).to(type), b = a.t().contiguous();
  double rate = 0;
  for (int i = 0; i < 6; ++i) {
    await_device();
    const auto start = std::chrono::steady_clock::now();
    const at::Tensor c = at::mm(a, b);
    await_device();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    rate = std::max(rate, 2 * static_cast<double>(n * n * n) / taken.count());
  }
  return known[type] = rate;
}

// Operators that a call hands to the device, all threads together: of small networks a GPU's time goes there. Where
// PAIRS_BENCH_OPERATORS names a file, how many of each kind and their own milliseconds on the CPU are added to it.
double count_operators(const std::string& name, const std::function<void()>& call) {
  struct Kind {
    std::int64_t calls = 0;
    double own = 0;
  };
  static std::mutex mutex;
  static std::map<std::string, Kind> kinds;
  struct Within : at::ObserverContext {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    Within* outer = nullptr;
    double inner = 0;
  };
  static thread_local Within* open = nullptr;
  kinds.clear();
  const auto handle = at::addGlobalCallback(
      at::RecordFunctionCallback(
          [](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
            auto within = std::make_unique<Within>();
            within->outer = std::exchange(open, within.get());
            return within;
          },
          [](const at::RecordFunction& function, at::ObserverContext* context) {
            auto* const within = static_cast<Within*>(context);
            const double taken =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - within->start).count();
            open = within->outer;
            if (open) open->inner += taken;
            const std::scoped_lock lock(mutex);
            Kind& kind = kinds[function.name()];
            ++kind.calls;
            kind.own += taken - within->inner;
          })
          .scopes({at::RecordScope::FUNCTION}));
  call();
  at::removeCallback(handle);
  std::int64_t calls = 0;
  for (const auto& [operation, kind] : kinds) calls += kind.calls;
  if (const char* const file = std::getenv("PAIRS_BENCH_OPERATORS")) {
    std::ofstream out(file, std::ios::app);
    for (const auto& [operation, kind] : kinds)
      out << name << '\t' << operation << '\t' << kind.calls << '\t' << 1e3 * kind.own << '\n';
  }
  return static_cast<double>(calls);
}

// A preset's task and estimator on the device.
struct OnDevice {
  OnDevice(const std::string& name, const std::string& preset)
      : config(load_preset(built_in_tasks(), built_in_tasks()->make(name)->info(), preset, "pairs", {})),
        task(built_in_tasks()->make(name, config.task_options())),
        source(task, kSeed, config.pretrain.sizes, 0, config.pretrain.batch) {}
  RunConfig config;
  std::shared_ptr<const Task> task;
  SetSource source;
};

void print(benchmark::State& state, const OnDevice& of, std::int64_t items, double flop) {
  state.SetItemsProcessed(state.iterations() * items);
  state.SetLabel(best_device().str());
  if (flop <= 0) return;
  const bool narrow = training_settings(of.config).find("precision = \"bf16\"") != std::string::npos;
  state.counters["GFLOP"] = 1e-9 * flop;
  state.counters["of_gemm"] = benchmark::Counter(flop / matrix_rate(narrow ? at::kBFloat16 : at::kFloat),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// Stops benchmarks of recorded steps where steps cannot be recorded.
void refuse(const std::string& why) {
  throw std::runtime_error(why);
}

void move(AdamW& adam, const torch::Tensor& loss) {
  if (best_device().is_cuda())
    adam.step_unread(1e-4, loss);
  else
    adam.step(1e-4);
  adam.zero_grad();
}

// An estimator of a preset that is trained on the device, with the parameters that a stage trains.
struct Trained {
  Trained(const OnDevice& of, bool embedder)
      : estimator(of.task, of.config.estimator, kSeed), parameters(parameters_of(embedder)), adam(parameters, {}) {}
  std::map<std::string, torch::Tensor> parameters_of(bool embedder) {
    estimator.to(best_device());
    estimator.train(true);
    std::map<std::string, torch::Tensor> all = estimator.head_parameters();
    if (embedder) all.merge(estimator.embedder_parameters());
    return all;
  }
  Estimator estimator;
  std::map<std::string, torch::Tensor> parameters;
  AdamW adam;
};

// Times a step once it has been recorded, and counts its operators.
void time_steps(benchmark::State& state, const std::string& name, const std::function<void()>& step) {
  for (std::int64_t k = 0; k <= RecordedSteps::kBefore + 1; ++k) step();
  await_device();
  for (auto _ : state) {
    step();
    await_device();
  }
  state.counters["operators"] = count_operators(name, step);
}

// Stage 1 without its simulations: embed, pool, loss, backward, AdamW.
void device_pretrain(benchmark::State& state, const std::string& name, const std::string& preset, bool record) {
  const OnDevice of(name, preset);
  Trained trained(of, true);
  Estimator& estimator = trained.estimator;
  const std::int64_t batch = of.config.pretrain.batch;
  const SetBatch sets = of.source.timed(0, batch, best_device());
  RecordedSteps recorded = recorded_set_steps(estimator, trained.parameters, record, refuse);
  time_steps(state, name + "/" + preset,
             [&] { move(trained.adam, set_gradients(estimator, of.source, sets, 5, SetSource::kAll, {}, &recorded)); });
  print(state, of, batch, 3 * static_cast<double>(batch) * (1.5 * estimator.embedder_flops() + estimator.head_flops()));
}

// Stage 3 without its draws from the cache.
void device_finetune(benchmark::State& state, const std::string& name, const std::string& preset, bool record) {
  const OnDevice of(name, preset);
  Trained trained(of, false);
  Estimator& estimator = trained.estimator;
  const std::int64_t batch = of.config.finetune.batch;
  const SetBatch sets = of.source.timed(0, batch, torch::kCPU);
  const AggregateBatch drawn{sets.theta, at::randn({batch, estimator.embedding_size()}), sets.n, sets.given};
  RecordedSteps recorded = recorded_head_steps(estimator, 0, record, refuse);
  time_steps(state, name + "/" + preset, [&] { move(trained.adam, head_gradients(estimator, drawn, 5, recorded)); });
  print(state, of, batch, 3 * static_cast<double>(batch) * estimator.head_flops());
}

// The sets of one of its steps.
void device_simulate(benchmark::State& state, const std::string& name, const std::string& preset) {
  const OnDevice of(name, preset);
  const std::int64_t batch = of.config.pretrain.batch;
  std::int64_t first = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(of.source.training(0, first, batch, std::int64_t{1} << 30, best_device()));
    first += batch;
    await_device();
  }
  print(state, of, batch, 0);
}

const bool registered = [] {
  for (const std::string& name : built_in_tasks()->names())
    for (const std::string preset : {"quick", "small", "paper"}) {
      const std::string end = "/" + name + "/" + preset;
      for (const bool record : {false, true}) {
        const std::string how = end + (record ? "/recorded" : "/plain");
        benchmark::RegisterBenchmark(("device_pretrain" + how).c_str(), device_pretrain, name, preset, record)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
        benchmark::RegisterBenchmark(("device_finetune" + how).c_str(), device_finetune, name, preset, record)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
      benchmark::RegisterBenchmark(("device_simulate" + end).c_str(), device_simulate, name, preset)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  return true;
}();

}  // namespace
}  // namespace pairs
