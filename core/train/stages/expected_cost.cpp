#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/aggregate.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/load.h"
#include "core/base/threads/threads.h"
#include "core/likelihood/column_density.h"
#include "core/nn/adamw.h"
#include "core/ops/ops.h"
#include "core/train/stages/expected_time.h"
#include "core/train/stages/known_costs.h"
#include "core/train/stages/likelihood_batches.h"
#include "core/train/stages/plan.h"
#include "core/train/stages/set_gradients.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {
namespace {

// Real steps are timed on batches that take about `kTimedSeconds`, starting with this many floating-point operations
// and observations; sets larger than kTimedSize are timed at that size and scaled.
constexpr double kTimedSeconds = 0.2, kBusySeconds = 1, kFirstFlops = 2e9, kFirstObservations = 1024,
                 kFirstOnGpu = 16384;
constexpr std::int64_t kTimedSize = 16;
// If simulation is slow, simulating sets for a timing takes about this long.
constexpr double kDrawnSeconds = 0.5;
// How long the machine's load is measured if the cost is known, and the number of busy cores from which it counts.
constexpr double kLookSeconds = 0.2, kMuchLoad = 0.5;
constexpr int kMostCalls = 1000;
// A machine counts as idle above this share, and with fewer runnable threads of others than this on average.
constexpr double kIdleShare = 0.8, kFewRunnable = 0.25;
// A step of a run takes longer than one that is timed alone: its inputs are simulated and gathered first, and evict the
// network from the caches. Measured on the cases of tests/bench/expected_times.py.
constexpr double kOfRun = 1.2;
// A training step costs three forward passes. If the step of a single set exceeds kHeaviest, one pass is timed instead.
constexpr double kStep = 3, kHeaviest = 1.5e11;

// The share of the machine that this process currently gets: the mean rate of small matrix products relative to the
// best one measured in this process with as many threads, or in an earlier one (`known` seconds per product, 0:
// unknown). Each product is so short that some run undisturbed even on a busy machine.
class MachineShare {
 public:
  static constexpr double kProbe = 0.015;  // seconds

  MachineShare(const torch::Device& device, double known) : cpu_(device.is_cpu()), known_(known) {}

  bool of_cpu() const { return cpu_; }
  // Takes this long, or as long as one product.
  void probe(double most) {
    if (!cpu_) return;
    at::NoGradGuard no_grad;
    const Stopwatch all;
    double counted = -1;
    do {
      keep_threads_apart();
      if (all.seconds() > counted + kCountedSeconds) {
        counted = all.seconds();
        runnable_ += LoadMeter::runnable_others();
        ++counts_;
      }
      const Stopwatch one;
      at::mm_out(out_, a_, a_);
      const double seconds = one.seconds();
      seconds_ += seconds;
      ++calls_;
      least_ = std::min(least_, seconds);
    } while (all.seconds() < most);
  }
  // The share since the last call of `take`, in (0, 1].
  double now() const { return share_of(seconds_, calls_); }
  double take() {
    all_seconds_ += seconds_;
    all_calls_ += calls_;
    return share_of(std::exchange(seconds_, 0), std::exchange(calls_, 0));
  }
  // The share over all that `take` has collected.
  double all() const { return share_of(all_seconds_, all_calls_); }
  // The average number of other processes' threads that ran or waited for a core; infinity if unknown.
  double runnable() const { return counts_ > 0 ? runnable_ / static_cast<double>(counts_) : HUGE_VAL; }
  // Whether no other process computes, so that calls vary on their own.
  bool alone() const { return cpu_ && counts_ > 0 && runnable() < kFewRunnable; }
  // The shortest product, 0 if there was none.
  double least() const { return least_ < 1e300 ? least_ : 0; }

 private:
  static constexpr std::int64_t kSide = 256;
  static constexpr double kCountedSeconds = 0.01;  // between two counts of others' threads

  // On an idle machine calls vary by a tenth on average.
  double share_of(double seconds, std::int64_t calls) const {
    if (calls == 0) return 1;
    static std::mutex mutex;
    static std::map<int, double> best;  // seconds of a call by number of threads
    const std::lock_guard lock(mutex);
    double& known = best.try_emplace(at::get_num_threads(), least_).first->second;
    known = std::min(known, least_);
    if (known_ > 0) known = std::min(known, known_);
    return std::min(1.0, 1.1 * known / (seconds / static_cast<double>(calls)));
  }

  bool cpu_;
  double known_;
  torch::Tensor a_ = at::full({kSide, kSide}, 0.5f), out_ = at::empty({kSide, kSide});
  double seconds_ = 0, all_seconds_ = 0, least_ = 1e300;
  double runnable_ = 0;
  std::int64_t calls_ = 0, all_calls_ = 0, counts_ = 0;
};

// Seconds of one call on an idle machine, for `uses` calls in a run; timing takes at most a quarter of their total. The
// first calls, which fill caches, do not count: a GPU loads its code with them.
template <class F>
double seconds_each(MachineShare& share, double uses, F&& call) {
  interruption_point();
  const Stopwatch warm;
  call();
  if (!share.of_cpu()) call();
  if (!share.of_cpu() || warm.seconds() < kTimedSeconds / 4) call();
  const Stopwatch all;
  share.probe(0);
  double total = 0, least = 1e300;
  int calls = 0;
  const auto enough = [&] {
    if (calls >= kMostCalls || all.seconds() > uses * total / calls / 4) return true;
    // On a busy machine a call may wait for its cores longer than it runs, several times in a row.
    return total > (share.now() > kIdleShare ? kTimedSeconds : kBusySeconds);
  };
  do {
    interruption_point();
    keep_threads_apart();
    const Stopwatch one;
    call();
    const double seconds = one.seconds();
    total += seconds;
    least = std::min(least, seconds);
    ++calls;
    share.probe(std::min(seconds, MachineShare::kProbe));
  } while (!enough());
  const double mean = total / calls, undisturbed = share.take() * mean;
  if (share.alone()) return mean;
  // No call takes longer than the shortest one undisturbed; on an idle machine they vary by a tenth.
  return std::min(undisturbed, 1.1 * least);
}

std::int64_t within(double wanted, std::int64_t most) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(wanted, 1e15)), 1, most);
}

double mean_of(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
}

// The sets of a batch repeated so many times: for timing networks, which does not depend on the values of the
// observations.
SetBatch repeated(const SetBatch& batch, std::int64_t times) {
  if (times <= 1) return batch;
  SetBatch out = batch;
  const std::vector<Observations> parts(static_cast<std::size_t>(times), batch.x);
  out.x = Observations::concatenate(parts);
  out.theta = batch.theta.repeat({times, 1});
  out.n = batch.n.repeat({times});
  if (batch.given.defined()) out.given = batch.given.repeat({times, 1});
  out.observations = batch.observations * times;
  std::vector<torch::Tensor> offsets = {batch.offsets};
  for (std::int64_t k = 1; k < times; ++k) offsets.push_back(batch.offsets.slice(0, 1) + k * batch.observations);
  out.offsets = at::cat(offsets);
  out.sets.clear();
  out.rotations.clear();
  for (std::int64_t k = 0; k < times; ++k) {
    out.sets.insert(out.sets.end(), batch.sets.begin(), batch.sets.end());
    out.rotations.insert(out.rotations.end(), batch.rotations.begin(), batch.rotations.end());
  }
  return out;
}

// Cores that other processes keep busy, or would: at most the number of their threads that run or wait. The share alone
// overestimates, because a short product may wait for another thread's whole time slice.
double others_of(double share, double runnable, const LoadMeter& load) {
  const double wanted = std::min<double>(at::get_num_threads(), load.cores());
  const double felt = share < kIdleShare ? load.cores() / share - wanted : 0.0;
  return std::max(load.others(), std::min(felt, runnable));
}

// The components of the time of stage 1 and the cache, in seconds.
struct Paces {
  double draw = 0;   // per observation
  double flop = 0;   // per floating-point operation of a training step
  double embed = 0;  // per observation, simulated and embedded without gradients
  double adam = 0;   // per step, for all parameters
};

class Timing {
 public:
  Timing(const RunConfig& config, const StageSetting& setting, Estimator& estimator, double known_product)
      : config_(config), setting_(setting), estimator_(estimator), share_(setting.device, known_product) {}

  // The machine's share and load during the timings.
  double share() const { return share_.all(); }
  double runnable() const { return share_.runnable(); }
  double least_product() const { return share_.least(); }

  // Times `steps` training steps of up to `most` sets each.
  Paces stage_1(double steps, std::int64_t most) {
    const std::vector<std::int64_t>& sizes = config_.pretrain.sizes;
    const bool small = *std::max_element(sizes.begin(), sizes.end()) <= kTimedSize;
    const SetSource sets(setting_.task, setting_.seed, small ? sizes : std::vector<std::int64_t>{kTimedSize}, 0, 1);
    const double size = small ? mean_of(sizes) : static_cast<double>(kTimedSize);
    const double flops = size * estimator_.embedder_flops() + estimator_.head_flops();
    std::map<std::string, torch::Tensor> parameters = estimator_.embedder_parameters();
    parameters.merge(estimator_.head_parameters());
    AdamW adam(parameters, {});
    estimator_.train(true);
    const bool whole = kStep * flops < kHeaviest || setting_.device.is_cuda();
    RecordedSteps recorded = recorded_set_steps(estimator_, parameters, setting_.recorded, [](const std::string&) {});
    SetBatch batch;
    const auto step = [&] {
      adam.zero_grad();
      if (whole) return take(set_gradients(estimator_, sets, batch, 0, batch.observations, {}, &recorded));
      at::NoGradGuard no_grad;
      take(pretrain_loss(estimator_, batch).value);
    };
    see_drawing(sets, size);
    std::int64_t count = first(std::min(kFirstObservations / size, kFirstFlops / (kStep * flops)),
                               static_cast<double>(estimator_.observations_in_graph()) / size, most);
    batch = drawn(sets, size, count);
    const auto uses = [&] { return steps * static_cast<double>(most) / static_cast<double>(count); };
    double seconds = seconds_each_recorded(uses(), step);
    if (const std::int64_t more = larger(count, uses(), seconds, prepared() ? std::min(most, 4 * count) : most);
        more > count) {
      count = more;
      batch = drawn(sets, size, count);
      seconds = seconds_each_recorded(uses(), step);
    }
    Paces paces;
    paces.flop = seconds / ((whole ? kStep : 1) * static_cast<double>(count) * flops);
    if (whole) paces.adam = seconds_each(share_, steps, [&] { adam.step(0); });
    adam.zero_grad();
    if (!prepared()) {
      const std::int64_t fresh = std::min(count, drawable(size));
      std::int64_t at = count, observations = 0, calls = 0;
      const double each = seconds_each(share_, steps * static_cast<double>(most) / static_cast<double>(fresh), [&] {
        observations += sets.timed(at += fresh, fresh, setting_.device).observations;
        ++calls;
      });
      paces.draw = each * static_cast<double>(calls) / static_cast<double>(observations);
    }
    return paces;
  }

  // Seconds per observation in stage 2, which has so many.
  double embedding(double observations) {
    at::NoGradGuard no_grad;
    estimator_.train(false);
    const std::int64_t most = estimator_.observations_at_once();
    const std::vector<std::int64_t> index = {0};
    const Latents latents = setting_.task->latents(setting_.seed, Purpose::check, index);
    std::int64_t count =
        first(std::min(kFirstObservations, kFirstFlops / estimator_.embedder_flops()), kFirstOnGpu, most);
    const auto uses = [&] { return observations / static_cast<double>(count); };
    if (prepared()) {
      const std::int64_t made = std::min(count, drawable(1)), times = (count + made - 1) / made;
      const std::vector<SetRange> ranges = {{0, 0, made}};
      const std::vector<Observations> parts(
          static_cast<std::size_t>(times),
          setting_.task->observe(latents, setting_.seed, Purpose::check, ranges, setting_.device));
      const Observations x = Observations::concatenate(parts);
      count = made * times;
      return seconds_each(share_, uses(), [&] { take(estimator_.embed(x, count).sum()); }) / static_cast<double>(count);
    }
    count = std::min(count, drawable(1));
    const auto sum = [&] {
      const std::vector<std::int64_t> block = {count};
      block_states(estimator_, latents, setting_.seed, Purpose::check, index, block, {.chunk = count});
    };
    double seconds = seconds_each(share_, uses(), sum);
    if (const std::int64_t more = std::min(drawable(1), larger(count, uses(), seconds, most)); more > count) {
      count = more;
      seconds = seconds_each(share_, uses(), sum);
    }
    return seconds / static_cast<double>(count);
  }

  // Seconds per step of stage 3, which has so many.
  double stage_3(double steps) {
    estimator_.train(true);
    const double flops = kStep * estimator_.head_flops();
    AdamW adam(estimator_.head_parameters(), {});
    // An estimate may be made while a run trains, so it has a generator of its own.
    at::Generator generator = at::detail::createCPUGenerator(1);
    const bool whole = flops < kHeaviest || setting_.device.is_cuda();
    const std::int64_t d = cached_targets(setting_.task->info());
    RecordedSteps recorded = recorded_head_steps(estimator_, 0, setting_.recorded, [](const std::string&) {});
    AggregateBatch random;
    const auto draw = [&](std::int64_t rows) {
      random.aggregates = at::randn({rows, estimator_.embedding_size()}, generator);
      random.n = at::ones({rows}, torch::kInt64);
      recall(random);
    };
    const auto loss = [&] {
      adam.zero_grad();
      if (d == 0 && !prepared()) recall(random);
      if (!whole) {
        at::NoGradGuard no_grad;
        return take(finetune_loss(estimator_, 0, random).value);
      }
      head_gradients(estimator_, random, 0, recorded);
      if (setting_.device.is_cuda()) adam.step(0);
    };
    std::int64_t rows = first(kFirstFlops / flops, static_cast<double>(config_.finetune.batch), config_.finetune.batch);
    draw(rows);
    const auto parts = [&] { return static_cast<double>(config_.finetune.batch) / static_cast<double>(rows); };
    double seconds = seconds_each_recorded(steps * parts(), loss);
    if (const std::int64_t more = larger(rows, steps * parts(), seconds, config_.finetune.batch); more > rows) {
      draw(rows = more);
      seconds = seconds_each_recorded(steps * parts(), loss);
    }
    const double update = whole ? seconds_each(share_, steps, [&] { adam.step(0); }) : 0;
    adam.zero_grad();
    return update + (whole ? 1 : kStep) * seconds * parts();
  }

  // The time of a step of the likelihood's networks, which is taken on the CPU: of `batch` observations, which all
  // networks see where their number is fixed, and else share.
  double likelihood_step(double steps, std::int64_t batch, bool fixed) {
    const TaskInfo& info = setting_.task->info();
    const auto columns = static_cast<std::int64_t>(info.observation_numbers());
    const auto parameters = static_cast<std::int64_t>(info.targets.size() + info.nuisances.size());
    const LikelihoodConfig& wanted = config_.likelihood;
    std::vector<ColumnForm> forms(static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < forms.size(); ++k) forms[k].circle = info.column_period(k) > 0;
    ColumnDensity density(wanted.networks.density, std::move(forms), 2 * parameters + info.given_size(),
                          at::detail::createCPUGenerator(1));
    const std::int64_t rows = fixed ? batch : std::max<std::int64_t>(1, batch / wanted.networks.members);
    const torch::Tensor x = at::zeros({rows, columns}), context = at::zeros({rows, 2 * parameters + info.given_size()});
    return static_cast<double>(wanted.networks.members) * seconds_each(share_, steps, [&] {
             torch::Tensor loss = density.log_prob(x, context).mean();
             if (fixed && wanted.curvature > 0) {
               const std::int64_t some = LikelihoodBatches::curved(rows);
               loss = loss + density.curvature(x.slice(0, 0, some), context.slice(0, 0, some), 1);
             }
             loss.backward();
           });
  }

 private:
  // Times steps as the run executes them: where the run records its steps, the recording is done before.
  template <class F>
  double seconds_each_recorded(double uses, F&& step) {
    for (std::int64_t k = 0; setting_.recorded && k <= RecordedSteps::kBefore; ++k) step();
    return seconds_each(share_, uses, step);
  }
  // Whether sets are about items that the task prepares once: training uses the prepared ones, while sets for timing
  // are made now.
  bool prepared() const { return !setting_.task->info().subject.empty(); }

  // Waits for the device.
  static void take(const torch::Tensor& loss) { (void)loss.item<float>(); }

  void recall(AggregateBatch& batch) const {
    const std::vector<std::int64_t> sets(static_cast<std::size_t>(batch.n.size(0)), 0);
    const Latents drawn = setting_.task->latents(setting_.seed, Purpose::check, sets);
    batch.theta = drawn.theta;
    batch.given = drawn.given;
  }

  // Measures how long simulation takes, starting with one set: a simulator may need longer for each than everything
  // else together, and data that a task prepares once are made for the timing.
  void see_drawing(const SetSource& sets, double size) {
    std::int64_t at = 0, count = 1;
    const auto draw = [&] {
      interruption_point();
      const Stopwatch one;
      sets.timed(at, count, setting_.device);
      at += count;
      return one.seconds();
    };
    double seconds = 0;
    for (;; count *= 4) {
      // The first call of a size may start further workers.
      seconds = draw();
      if (seconds > kTimedSeconds / 4 && seconds < 10 * kDrawnSeconds) seconds = std::min(seconds, draw());
      if (seconds > kTimedSeconds / 4 || count >= static_cast<std::int64_t>(kFirstObservations)) break;
    }
    drawn_each_ = seconds / (static_cast<double>(count) * size);
  }
  // The number of sets of this size that can be simulated in about kDrawnSeconds.
  std::int64_t drawable(double size) const {
    const double most = kDrawnSeconds / std::max(1e-9, drawn_each_ * size);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(most, 1e9)));
  }
  // About `count` sets, which repeat after as many as can be simulated in time; `count` becomes their number.
  SetBatch drawn(const SetSource& sets, double size, std::int64_t& count) const {
    const std::int64_t fresh = std::min(count, drawable(size)), times = (count + fresh - 1) / fresh;
    count = fresh * times;
    return repeated(sets.timed(0, fresh, setting_.device), times);
  }

  // The size to time first. A GPU takes as long for a few sets as for many, so it begins with the number that fits.
  std::int64_t first(double on_cpu, double on_gpu, std::int64_t most) const {
    return within(setting_.device.is_cuda() ? on_gpu : on_cpu, most);
  }

  // A batch that takes about kTimedSeconds, at most `most`: small batches cost more per set. If all uses take less than
  // that, the first size suffices.
  static std::int64_t larger(std::int64_t count, double uses, double seconds, std::int64_t most) {
    if (seconds > kTimedSeconds / 2 || uses * seconds < kTimedSeconds) return count;
    return within(static_cast<double>(count) * std::min(64.0, kTimedSeconds / std::max(seconds, 1e-6)), most);
  }

  const RunConfig& config_;
  const StageSetting& setting_;
  Estimator& estimator_;
  MachineShare share_;
  double drawn_each_ = 0;  // approximate seconds to simulate an observation
};

}  // namespace

double whole_seconds(const ExpectedCost& cost) {
  return cost.simulate_seconds + cost.pretrain_seconds + cost.cache_seconds + cost.finetune_seconds +
         cost.likelihood_seconds;
}

std::vector<double> stage_seconds(const ExpectedCost& cost) {
  return {cost.pretrain_seconds, cost.cache_seconds, cost.finetune_seconds, cost.likelihood_seconds};
}

namespace {

// The observations of the stored sets for training.
std::int64_t stored_rows(const StoredSets& stored, std::uint64_t seed) {
  const std::int64_t sets = stored.sets(Purpose::pretrain, 1);
  const SetDemand demand{Purpose::pretrain, 0, sets, sets, 1, "the likelihood"};
  const std::shared_ptr<const Task> served = stored.serving({&demand, 1});
  std::int64_t rows = 0;
  for (std::int64_t k = 0; k < sets; ++k) rows += served->stored()->held(seed, Purpose::pretrain, k);
  return rows;
}

ExpectedCost measured_cost(const RunConfig& config, const StageSetting& setting, KnownCosts& known) {
  const LoadMeter load;
  Estimator estimator(setting.task, config.estimator, setting.seed);
  estimator.to(setting.device);
  const SetSource source(setting.task, setting.seed, config.pretrain.sizes, finite_sets(config.pretrain),
                         config.pretrain.validation_sets);
  const PretrainPlan plan = plan_pretraining(config, source);
  const double mean_size = mean_of(config.pretrain.sizes), batch = static_cast<double>(plan.batch);
  const double embedder = estimator.embedder_flops(), head = estimator.head_flops();
  const double set = mean_size * embedder + head;
  Timing timing(config, setting, estimator, known.probe_seconds(at::get_num_threads()));

  ExpectedCost e{};
  const double steps = static_cast<double>(plan.epochs * plan.steps);
  const Paces paces = timing.stage_1(steps, plan.batch);
  // A batch in parts goes through the embedder once more, and is simulated twice.
  const bool parted = batch * mean_size > static_cast<double>(estimator.observations_in_graph());
  const double flops = steps * batch * (kStep * set + (parted ? mean_size * embedder : 0));
  const double validated = static_cast<double>(plan.epochs * source.validation_sets());
  e.pretrain_seconds = paces.flop * (flops + validated * set) + steps * paces.adam +
                       paces.draw * mean_size * (steps * batch * (parted ? 2 : 1) + validated);
  e.draw_seconds = paces.draw;
  e.draws = paces.draw > 0 ? mean_size * (steps * batch * (parted ? 2 : 1) + validated) : 0;
  e.gflop = 1e-9 * flops;
  if (strategy(config.strategy).stages_2_and_3) {
    const auto groups = plan_groups(config.cache, config.finetune.size_distribution == "list", setting.task->stored());
    double observations = 0, refreshed = 0;
    for (const CacheGroup& g : groups) {
      observations += static_cast<double>((g.training + g.validation) * g.observations());
      refreshed += static_cast<double>(g.training * g.observations());
    }
    const std::int64_t heads = config.finetune.heads == "per-n" ? static_cast<std::int64_t>(groups.size()) : 1;
    // One head among several simulates its own group again.
    if (config.cache.refresh > 0)
      observations += refreshed * static_cast<double>((config.finetune.epochs - 1) / config.cache.refresh);
    if (setting.task->info().pool > 0) observations = setting.task->info().pool;
    e.cache_seconds = timing.embedding(observations) * observations;
    if (paces.draw > 0) e.draws += observations;
    e.cache_bytes = cache_bytes(groups, estimator.embedding_size(), cached_targets(setting.task->info())) *
                    (config.cache.refresh > 0 ? 2 : 1);
    const auto epochs = static_cast<double>(heads * config.finetune.epochs);
    const double made = epochs * static_cast<double>(finetune_steps(config, groups)), step = timing.stage_3(made);
    const double rows = static_cast<double>(config.finetune.batch);
    e.finetune_seconds =
        step * (made + epochs * static_cast<double>(config.finetune.validation_draws) / (kStep * rows));
    e.gflop += 1e-9 * (observations * embedder + made * rows * kStep * head);
  }
  if (config.likelihood.enabled && setting.task->info().no_density().empty()) {
    const StoredSets* const stored = setting.task->stored();
    std::int64_t rows = config.likelihood.simulations;  // of a fixed number; 0: new ones
    if (stored != nullptr) rows = stored_rows(*stored, setting.seed);
    const std::int64_t batch =
        rows > 0 ? LikelihoodBatches::fixed_batch(config.likelihood, rows) : config.likelihood.batch;
    const auto learned = static_cast<double>(rows > 0 ? LikelihoodBatches::fixed_steps(config.likelihood, rows)
                                                      : config.likelihood.steps);
    e.likelihood_seconds = timing.likelihood_step(learned, batch, rows > 0) * learned;
    if (stored == nullptr && config.likelihood.simulations > 0) {
      e.likelihood_seconds += paces.draw * static_cast<double>(rows);
    } else if (stored == nullptr) {
      e.likelihood_seconds += paces.draw * learned * static_cast<double>(config.likelihood.batch);
      if (paces.draw > 0) e.draws += learned * static_cast<double>(config.likelihood.batch);
    }
  }
  for (double* seconds : {&e.pretrain_seconds, &e.cache_seconds, &e.finetune_seconds, &e.likelihood_seconds})
    *seconds *= kOfRun;
  e.cores = load.cores();
  e.others = others_of(timing.share(), timing.runnable(), load);
  e.measured = static_cast<std::int64_t>(std::time(nullptr));
  known.keep_probe(at::get_num_threads(), timing.least_product());
  return e;
}

}  // namespace

ExpectedCost expected_cost(const RunConfig& config, const std::function<bool()>& stop,
                           const std::function<void()>& measuring) {
  const Interruptible within_this(stop);
  const StageSetting setting(config, planned_task(config));
  const std::string device = numerics_fingerprint(setting.device);
  KnownCosts known;
  if (std::optional<ExpectedCost> cost = known.find(config, device)) {
    const LoadMeter load;
    MachineShare share(setting.device, known.probe_seconds(at::get_num_threads()));
    share.probe(kLookSeconds);
    const double others = others_of(share.now(), share.runnable(), load);
    // A measurement on a busy machine is repeated once the machine is idle.
    if (cost->others < kMuchLoad || others > kMuchLoad) {
      cost->others = others;
      cost->cores = load.cores();
      return *cost;
    }
  }
  if (measuring) measuring();
  const ExpectedCost cost = measured_cost(config, setting, known);
  known.keep(config, device, cost);
  return cost;
}

TimeRange expected_range(const ExpectedCost& need, double seconds, double threads) {
  const double wanted = std::min(threads, need.cores), all = wanted + need.others;
  const double slower = need.cores > 0 ? std::max(1.0, all / need.cores) : 1;
  return {0.8 * seconds, 1.25 * seconds * slower};
}

std::string range_text(const TimeRange& range) {
  if (!(range.most >= 1)) return "under a second";
  const auto [unit, name] = range.most < 90          ? std::pair(1.0, "second")
                            : range.most < 5400      ? std::pair(60.0, "minute")
                            : range.most < 2 * 86400 ? std::pair(3600.0, "hour")
                                                     : std::pair(86400.0, "day");
  // At most two digits.
  const auto rounded = [&, size = unit](double seconds) {
    const double value = seconds / size;
    return value < 2.95 ? std::round(value * 2) / 2 : value < 20 ? std::round(value) : std::round(value / 5) * 5;
  };
  const double least = rounded(range.least), most = std::max(rounded(range.most), 0.5);
  const auto text = [](double value) { return fmt::format("{:g}", value); };
  const char* const many = most == 1 ? "" : "s";
  if (least == most) return fmt::format("about {} {}{}", text(most), name, many);
  if (least <= 0) return fmt::format("up to {} {}{}", text(most), name, many);
  return fmt::format("{} to {} {}{}", text(least), text(most), name, many);
}

}  // namespace pairs
