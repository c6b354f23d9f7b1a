#include "core/train/steps/optimize.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/threads.h"
#include "core/nn/adamw.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/run/work_watch.h"
#include "core/train/steps/checkpoint.h"
#include "core/train/steps/weight_average.h"

namespace pairs {
namespace {

// Rise of the validation loss, in nats: above its best for a warning; above the first step's loss, for a stage to fail
// at its end; and for it to fail at once.
constexpr double kRising = 1, kDiverged = 1000, kLost = 1e6;

// Steps of a GPU whose losses are read together.
constexpr std::int64_t kReadOnGpu = 16;

// A step that the device may still be computing: its place in the epoch, its loss and its gradient's norm.
struct Unread {
  std::int64_t step;
  torch::Tensor loss, norm;
};

// Key of a step's random numbers: the first word of LibTorch's generator seeded for it, so that runs continue as in
// earlier versions.
std::uint64_t noise_key(std::uint64_t stream, std::int64_t step) {
  at::Generator generator = at::detail::createCPUGenerator(stream + static_cast<std::uint64_t>(step));
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

TensorMap copies(const TensorMap& tensors) {
  TensorMap out;
  for (const auto& [name, tensor] : tensors) out[name] = tensor.detach().to(torch::kCPU).clone();
  return out;
}

// The loop over epochs and steps, with its state and its reports.
class Optimization {
 public:
  Optimization(Problem& problem, const std::filesystem::path& run, const RunConfig& config, Monitor& monitor)
      : p_(problem),
        config_(config),
        monitor_(monitor),
        stop_([&monitor] { return monitor.should_stop(); }),
        adam_(problem.parameters, {.weight_decay = problem.optimizer.weight_decay, .clip = problem.optimizer.clip}),
        average_(problem.parameters, problem.optimizer.ema),
        checkpoint_(problem, config, run / run_file::resume),
        total_(problem.epochs * problem.steps),
        read_every_(problem.read_every > 0     ? problem.read_every
                    : problem.device.is_cuda() ? kReadOnGpu
                                               : 1),
        together_(monitor.ranks()),
        noise_(stream_key(static_cast<std::uint64_t>(config.seed), Purpose::dropout)),
        stage_(stage_name(problem.stage)) {}

  OptimizeResult run() {
    begin();
    while (at_.epoch < p_.epochs && !(rise() > kLost)) {
      begin_epoch();
      for (; at_.step < p_.steps; ++at_.step) {
        step();
        if (since_progress_.seconds() > 0.1) report_progress();
        if (since_checkpoint_.seconds() > config_.checkpoint) keep_step();
      }
      read();
      if (should_stop()) leave();
      nlohmann::json extra = nlohmann::json::object();
      const double validation = validate(extra);
      judge(validation, std::move(extra));
      ++at_.epoch;
      at_.step = 0;
      at_.sum = 0;
      const std::int64_t since_best = (at_.epoch - 1 - at_.best_epoch) * p_.steps;
      if (p_.optimizer.patience > 0 && since_best >= p_.optimizer.patience) break;
    }
    if (rise() > kDiverged) {
      save();
      fail(
          "Stage {} diverged: the validation loss is {:.4g} after {} of {} epochs, and the first step's loss was "
          "{:.4g}; the best weights, of validation loss {:.4g}, are kept in {}: lower {}.rate or set {}.clip, and "
          "start a new run",
          stage_, at_.last_validation, at_.epoch, p_.epochs, at_.first, at_.best, checkpoint_.file().string(), stage_,
          stage_);
    }
    assign(p_.parameters, best_);
    return {at_.last_train, at_.best, at_.best_epoch, at_.epoch, before_ + watch_.seconds()};
  }

 private:
  // Steps before the current one, over all epochs.
  std::int64_t global_step() const { return at_.epoch * p_.steps + at_.step; }
  double rise() const { return at_.last_validation - at_.first; }

  void emit(EventType type, nlohmann::json values) {
    Event event;
    event.type = type;
    event.stage = p_.stage;
    event.epoch = at_.epoch;
    event.step = global_step();
    event.seconds = watch_.seconds();
    event.values = std::move(values);
    if (p_.head_n > 0) event.values["n"] = p_.head_n;
    monitor_.event(event);
  }

  // Resumes from the checkpoint if there is one.
  void begin() {
    std::string warning;
    const bool resumed = checkpoint_.load(at_, best_, average_, adam_, warning);
    before_ = at_.seconds;
    emit(resumed ? EventType::resumed : EventType::stage_started, {{"epochs", p_.epochs}, {"steps", p_.steps}});
    if (!warning.empty()) emit(EventType::warning, {{"text", warning}});
    kept_step_ = global_step();
    check_alike(monitor_, p_.parameters);  // all have read what the first will overwrite
    since_checkpoint_.restart();
    since_progress_.restart();
  }

  void begin_epoch() {
    if (at_.step == 0) at_.parts.assign(static_cast<std::size_t>(std::min(kLossParts, p_.steps)), 0);
    if (at_.epoch <= p_.lessons && at_.step == 0) at_.best = std::numeric_limits<double>::infinity();
    const Ranks::Together apart(monitor_.ranks(), false);
    try {
      if (p_.begin_epoch) p_.begin_epoch(at_.epoch, [this] { save(); });
    } catch (const Stopped&) {
      save();
      throw;
    }
  }

  void step() {
    if (should_stop()) leave();
    keep_threads_apart();
    if (p_.preview && monitor_.wants_preview()) {
      const WeightAverage::InPlace shown(average_);
      p_.preview();
    }
    const std::int64_t global = global_step();
    torch::Tensor loss;
    try {
      const Interruptible within(stop_);
      loss = p_.gradients(at_.epoch, at_.step, noise_key(noise_, global));
    } catch (const Stopped&) {
      leave();
    } catch (const Error&) {
      // If sets cannot be made (a simulator died), nothing has changed: the previous steps are saved.
      keep_done();
      throw;
    }
    const double rate = learning_rate(p_.optimizer, global, total_);
    if (read_every_ > 1) {
      unread_.push_back({at_.step, loss, adam_.step_unread(rate, loss)});
      if (static_cast<std::int64_t>(unread_.size()) >= read_every_) read();
    } else {
      const double value = loss.item<double>();
      if (!std::isfinite(value)) refuse("training loss", value);
      const double norm = adam_.step(rate);
      if (!std::isfinite(norm)) refuse("gradient's norm", norm);
      count(at_.step, value);
    }
    adam_.zero_grad();
    average_.update(global);
    if (std::exchange(paused_, paused_seconds) != paused_seconds) meter_ = RateMeter();
    meter_.update(static_cast<double>(global));
  }

  bool should_stop() {
    try {
      return monitor_.should_stop();
    } catch (const RankLost&) {
      keep_done();
      throw;
    }
  }

  // The part of the epoch that a step belongs to.
  std::size_t part_of(std::int64_t step) const {
    return static_cast<std::size_t>(step * static_cast<std::int64_t>(at_.parts.size()) / p_.steps);
  }
  void count(std::int64_t step, double loss) {
    at_.sum += loss;
    at_.parts[part_of(step)] += loss;
    if (at_.epoch == 0 && step == 0) at_.first = loss;
  }

  // Waits for the steps whose losses are still unread, and processes them.
  void read() {
    if (unread_.empty()) return;
    const std::vector<Unread> steps = std::exchange(unread_, {});
    std::vector<torch::Tensor> reported;
    for (const Unread& step : steps) reported.insert(reported.end(), {step.loss.to(torch::kFloat64), step.norm});
    const torch::Tensor values = at::stack(reported).to(torch::kCPU);
    const double* value = values.const_data_ptr<double>();
    for (const Unread& step : steps) {
      const double loss = *value++, norm = *value++;
      if (!std::isfinite(loss) || !std::isfinite(norm)) {
        at_.step = step.step;
        std::isfinite(loss) ? refuse("gradient's norm", norm) : refuse("training loss", loss);
      }
      count(step.step, loss);
    }
  }

  void report_progress() {
    since_progress_.restart();
    const std::int64_t global = global_step();
    const std::int64_t counted = at_.step + 1 - static_cast<std::int64_t>(unread_.size());
    Progress progress;
    progress.stage = p_.stage;
    progress.done = global + 1;
    progress.total = total_;
    progress.unit = "steps";
    progress.rate = meter_.rate();
    progress.sets_per_second = meter_.rate() * static_cast<double>(p_.optimizer.batch);
    progress.eta_seconds = meter_.rate() > 0 ? static_cast<double>(total_ - global) / meter_.rate() : 0;
    if (counted > 0) progress.loss = at_.sum / static_cast<double>(counted);
    if (std::isfinite(at_.best)) progress.validation = at_.best;
    monitor_.progress(progress);
  }

  void save() {
    read();
    at_.seconds = before_ + watch_.seconds();
    if (writes_run(monitor_)) checkpoint_.save(at_, best_, average_, adam_);
    kept_step_ = global_step();
  }
  // Saves including the current step, which is complete.
  void keep_step() {
    read();
    ++at_.step;
    save();
    --at_.step;
    since_checkpoint_.restart();
  }
  void keep_done() {
    if (global_step() != kept_step_) save();
  }
  // An interrupted step has changed nothing: if there was none since the last checkpoint, or since the stage's start,
  // the next session resumes from there.
  [[noreturn]] void leave() {
    keep_done();
    throw Stopped();
  }
  [[noreturn]] void refuse(const char* what, double value) {
    save();
    fail(
        "The {} became {} at step {} of stage {} ({} of epoch {}); the last good weights are kept in {}: lower "
        "{}.rate or set {}.clip, and start a new run",
        what, value, global_step(), stage_, at_.step, at_.epoch, checkpoint_.file().string(), stage_, stage_);
  }

  // The validation loss of the current weights, and further values in `extra`.
  double validate(nlohmann::json& extra) {
    double validation = NAN;
    try {
      at::NoGradGuard no_grad;
      const Interruptible within(stop_);
      const WeightAverage::InPlace judged(average_);
      validation = p_.validate(at_.epoch);
      if (p_.extra) extra = p_.extra();
      check_alike(monitor_, p_.parameters);
    } catch (const Stopped&) {
      leave();
    } catch (const RankLost&) {
      keep_done();
      throw;
    }
    if (!std::isfinite(validation)) refuse("validation loss", validation);
    return validation;
  }

  // Logs the end of the epoch, and keeps the weights if they are the best so far.
  void judge(double validation, nlohmann::json reported) {
    at_.last_train = at_.sum / static_cast<double>(p_.steps);
    at_.last_validation = validation;
    std::vector<double> parts = at_.parts, steps(parts.size());
    for (std::int64_t step = 0; step < p_.steps; ++step) ++steps[part_of(step)];
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] /= steps[k];
    reported.update({{"train", at_.last_train},
                     {"train_parts", std::move(parts)},
                     {"validation", validation},
                     {"rate", learning_rate(p_.optimizer, (at_.epoch + 1) * p_.steps - 1, total_)}});
    emit(EventType::loss, std::move(reported));
    if (validation > at_.best + kRising && !rising_) {
      rising_ = true;
      emit(EventType::warning,
           {{"text", fmt::format("the validation loss rose from {:.4g} to {:.4g}: the best weights are kept, "
                                 "but a lower {}.rate may serve this stage better",
                                 at_.best, validation, stage_)}});
    }
    if (validation < at_.best) {
      at_.best = validation;
      at_.best_epoch = at_.epoch;
      best_ = copies(average_.on() ? average_.values() : p_.parameters);
    }
  }

  Problem& p_;
  const RunConfig& config_;
  Monitor& monitor_;
  std::function<bool()> stop_;
  AdamW adam_;
  WeightAverage average_;
  Checkpoint checkpoint_;
  std::int64_t total_, read_every_;  // steps
  Ranks::Together together_;
  std::uint64_t noise_;
  std::string stage_;

  Position at_;
  TensorMap best_;
  std::vector<Unread> unread_;
  std::int64_t kept_step_ = 0;  // in the last checkpoint
  bool rising_ = false;
  double before_ = 0;  // seconds of earlier sessions
  WorkWatch watch_;
  double paused_ = paused_seconds;  // already subtracted by the meter
  Stopwatch since_checkpoint_, since_progress_;
  RateMeter meter_;
};

}  // namespace

double learning_rate(const OptimizerConfig& c, std::int64_t step, std::int64_t total) {
  const double warm = c.warmup * static_cast<double>(total);
  const double s = static_cast<double>(step);
  if (s < warm) return c.rate * (s + 1) / (warm + 1);
  const double t = (s - warm) / std::max(1.0, static_cast<double>(total) - warm);
  return c.rate * (c.floor + (1 - c.floor) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, t))));
}

OptimizeResult optimize(Problem& problem, const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  return Optimization(problem, run, config, monitor).run();
}

}  // namespace pairs
