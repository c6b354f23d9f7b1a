// Steps of training while other processes work. "ratio" is the mean time of a step with two busy processes over that
// without them; the two cases alternate every second, so that other load slows both. On two cores a fair share gives a
// ratio of 2; it should be at most 2.2. "apart" states whether threads are kept apart between steps, as training does
// (core/base/threads/threads.h). GOMP_SPINCOUNT tries other bounds (core/base/threads/wait_policy.h).
#include <benchmark/benchmark.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "core/base/threads/clock.h"
#include "core/base/threads/threads.h"
#include "core/nn/adamw.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/stage_tools.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace {

using namespace pairs;

// Two processes that compute and nothing else, held while nobody wants them; each in a session of its own, as other
// programs are.
class BusyProcesses {
 public:
  BusyProcesses() {
    for (pid_t& process : processes_) {
      process = ::fork();
      if (process != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setsid();
      ::raise(SIGSTOP);
      for (volatile unsigned turn = 0;;) turn = turn + 1;
    }
  }
  ~BusyProcesses() {
    print(SIGKILL);
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;
  void run() { print(SIGCONT); }
  void rest() { print(SIGSTOP); }

 private:
  void print(int signal) {
    for (const pid_t process : processes_) ::kill(process, signal);
  }
  pid_t processes_[2];
};

// The bump hunt's networks of the preset small, in its batches, with the bookkeeping of the stages.
struct BumpHuntStages {
  BumpHuntStages() {
    config = load_preset(built_in_tasks(), built_in_tasks()->make("bump-hunt")->info(), "small", "pairs",
                         {"device=cpu", "cache.sets=2000"});
    task = built_in_tasks()->make("bump-hunt");
    estimator = std::make_unique<Estimator>(task, config.estimator, 1);
  }
  RunConfig config;
  std::shared_ptr<const Task> task;
  std::unique_ptr<Estimator> estimator;
};

class Pretraining : BumpHuntStages {
 public:
  Pretraining() : source_(task, 1, config.pretrain.sizes, 0, config.pretrain.batch) {
    std::map<std::string, torch::Tensor> parameters = estimator->embedder_parameters();
    parameters.merge(estimator->head_parameters());
    adam_ = std::make_unique<AdamW>(parameters, AdamW::Options());
    estimator->train(true);
  }
  void step() {
    const std::int64_t batch = config.pretrain.batch;
    pretrain_loss(*estimator, source_.training(0, position_++ * batch, batch, std::int64_t{1} << 30, torch::kCPU))
        .total()
        .backward();
    adam_->step(1e-4);
    adam_->zero_grad();
  }

 private:
  SetSource source_;
  std::unique_ptr<AdamW> adam_;
  std::int64_t position_ = 0;
};

class Finetuning : BumpHuntStages {
 public:
  Finetuning() : groups_(plan_groups(config.cache, false)), sampler_(groups_, SizeDistribution::log_uniform, 0, 1) {
    const auto file = folder_ / "aggregates.cache";
    write_cache(
        file, *estimator, groups_, 1, 0, 0, [] { return false; }, [](const CacheProgress&) {});
    cache_ = std::make_unique<AggregateCache>(file, *estimator, 1, 0);
    prepare_finetuning(*estimator, config, *cache_);
    adam_ = std::make_unique<AdamW>(estimator->head_parameters(), AdamW::Options());
    estimator->train(true);
  }
  void step() {
    AggregateBatch batch = sampler_.draw(*cache_, false, position_++, config.finetune.batch);
    cache_->recall(batch);
    finetune_loss(*estimator, 0, batch).total().backward();
    adam_->step(1e-4);
    adam_->zero_grad();
  }

 private:
  TemporaryFolder folder_;
  std::vector<CacheGroup> groups_;
  AggregateSampler sampler_;
  std::unique_ptr<AggregateCache> cache_;
  std::unique_ptr<AdamW> adam_;
  std::uint64_t position_ = 0;
};

// Milliseconds of the steps of one second.
void measure(const std::function<void()>& step, bool apart, std::vector<double>& times) {
  const Stopwatch turn;
  while (turn.seconds() < 1) {
    if (apart) keep_threads_apart();
    const Stopwatch one;
    step();
    times.push_back(1e3 * one.seconds());
  }
}

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

template <class Stage>
void busy_over_idle(benchmark::State& state) {
  BusyProcesses others;
  Stage stage;
  std::vector<double> idle, busy;
  for (int k = 0; k < 20; ++k) stage.step();
  for (auto _ : state) {
    measure([&] { stage.step(); }, state.range(0) != 0, idle);
    others.run();
    measure([&] { stage.step(); }, state.range(0) != 0, busy);
    others.rest();
  }
  state.counters["idle_ms"] = mean(idle);
  state.counters["busy_ms"] = mean(busy);
  state.counters["ratio"] = mean(busy) / mean(idle);
}
BENCHMARK(busy_over_idle<Pretraining>)
    ->Name("busy_over_idle/pretrain")
    ->ArgName("apart")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(8)
    ->UseRealTime();
BENCHMARK(busy_over_idle<Finetuning>)
    ->Name("busy_over_idle/finetune")
    ->ArgName("apart")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(8)
    ->UseRealTime();

}  // namespace
