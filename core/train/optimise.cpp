#include "core/train/optimise.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <numbers>

#include "core/base/clock.h"
#include "core/base/devices.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/interruption.h"
#include "core/base/safetensors.h"
#include "core/nn/adamw.h"
#include "core/train/run.h"
#include "core/train/weight_average.h"

namespace pairs {
namespace {

using TensorMap = std::map<std::string, torch::Tensor>;

// Rise of the validation loss, in nat: over its best, that is told to the user; over the first step's loss, with which
// a stage fails at its end; and at once.
constexpr double kRising = 1, kDiverged = 1000, kLost = 1e6;

// Steps of a GPU whose losses are read together.
constexpr std::int64_t kReadOnGpu = 16;

// Where the loop stands; everything here and the tensors beside it decide the rest of the run.
struct Position {
  std::int64_t epoch = 0, step = 0;  // next step within the epoch
  double sum = 0;                    // training losses of this epoch so far
  double best = INFINITY;
  std::int64_t best_epoch = -1;
  double last_train = 0;
  double seconds = 0;                         // spent up to the last checkpoint
  double first = NAN, last_validation = NAN;  // the first step's loss; the last epoch's
};

// A step that the device may still be at: its place in the epoch, its loss and its gradient's norm.
struct Unread {
  std::int64_t step;
  torch::Tensor loss, norm;
};

// Key of what a step draws: the first word of LibTorch's generator seeded for it, so that runs go on as earlier
// versions began them.
std::uint64_t noise_key(std::uint64_t stream, std::int64_t step) {
  at::Generator generator = at::detail::createCPUGenerator(stream + static_cast<std::uint64_t>(step));
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

TensorMap copies(const TensorMap& tensors) {
  TensorMap out;
  for (const auto& [name, tensor] : tensors) out[name] = tensor.detach().to(torch::kCPU).clone();
  return out;
}

void assign(const TensorMap& target, const TensorMap& values) {
  at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : target) tensor.detach().copy_(values.at(name));
}

// A double written so that it reads back bit for bit.
std::string exact(double value) {
  return fmt::format("{:a}", value);
}

class Checkpoint {
 public:
  Checkpoint(const Problem& problem, const RunConfig& config, std::filesystem::path file)
      : problem_(problem), file_(std::move(file)), numerics_(numerics_fingerprint(problem.device)), config_(config) {}

  void save(const Position& at, const TensorMap& best, const WeightAverage& average, const AdamW& adam) const {
    TensorFile content;
    for (const auto& [name, tensor] : problem_.parameters) content.tensors["live." + name] = tensor;
    for (const auto& [name, tensor] : best) content.tensors["best." + name] = tensor;
    for (const auto& [name, tensor] : average.values()) content.tensors["average." + name] = tensor;
    for (const auto& [name, tensor] : adam.state()) content.tensors["adam." + name] = tensor;
    content.metadata = {{"format", "pairs-resume-1"},
                        {"stage", stage_name(problem_.stage)},
                        {"head_n", std::to_string(problem_.head_n)},
                        {"numerics", numerics_},
                        {"training_settings", training_settings(config_)},
                        {"epoch", std::to_string(at.epoch)},
                        {"step", std::to_string(at.step)},
                        {"sum", exact(at.sum)},
                        {"best", exact(at.best)},
                        {"best_epoch", std::to_string(at.best_epoch)},
                        {"last_train", exact(at.last_train)},
                        {"seconds", exact(at.seconds)},
                        {"first", exact(at.first)},
                        {"last_validation", exact(at.last_validation)}};
    write_safetensors(file_, content);
  }

  // False when there is nothing of this stage to continue from. `warning` is set when the machine differs.
  bool load(Position& at, TensorMap& best, const WeightAverage& average, AdamW& adam, std::string& warning) const {
    if (!std::filesystem::exists(file_)) return false;
    const TensorFile content = [&] {
      try {
        return read_safetensors(file_);
      } catch (const Error& error) {
        fail("{}; or remove it, to start the stage again", error.what());
      }
    }();
    const auto meta = [&](const char* key) -> const std::string& {
      const auto it = content.metadata.find(key);
      PAIRS_CHECK(it != content.metadata.end(),
                  "{} is not a checkpoint of this program: it lacks \"{}\"; remove it to "
                  "start the stage again",
                  file_.string(), key);
      return it->second;
    };
    PAIRS_CHECK(meta("format") == "pairs-resume-1",
                "{} has an unknown format \"{}\"; remove it to start the stage again", file_.string(), meta("format"));
    if (meta("stage") != stage_name(problem_.stage) || meta("head_n") != std::to_string(problem_.head_n)) return false;
    const std::string changed = changed_setting(meta("training_settings"), config_, Stage::finetune, file_.string());
    PAIRS_CHECK(changed.empty(), "{} as {} says now; put it back, or start a new run", changed,
                (file_.parent_path() / run_file::config).string());
    TensorMap live, moments, averages;
    for (const auto& [name, tensor] : content.tensors) {
      if (name.starts_with("live.")) live[name.substr(5)] = tensor;
      if (name.starts_with("best.")) best[name.substr(5)] = tensor;
      if (name.starts_with("average.")) averages[name.substr(8)] = tensor;
      if (name.starts_with("adam.")) moments[name.substr(5)] = tensor;
    }
    for (const auto& [name, tensor] : problem_.parameters)
      for (const TensorMap* part : {&live, &best, &averages}) {
        if ((part == &best && best.empty()) || (part == &averages && !average.on())) continue;
        const auto it = part->find(name);
        PAIRS_CHECK(it != part->end() && it->second.sizes() == tensor.sizes(),
                    "{} does not fit this run's network (tensor {}); remove it to start the stage again",
                    file_.string(), name);
      }
    try {
      at = {std::stoll(meta("epoch")), std::stoll(meta("step")),       std::stod(meta("sum")),
            std::stod(meta("best")),   std::stoll(meta("best_epoch")), std::stod(meta("last_train")),
            std::stod(meta("seconds"))};
      // Earlier versions did not keep these.
      if (content.metadata.contains("first")) at.first = std::stod(meta("first"));
      if (content.metadata.contains("last_validation")) at.last_validation = std::stod(meta("last_validation"));
    } catch (const std::logic_error&) {
      fail("{} holds a counter that cannot be read; remove it to start the stage again", file_.string());
    }
    assign(problem_.parameters, live);
    assign(average.values(), averages);
    adam.load(moments);
    if (meta("numerics") != numerics_)
      warning = fmt::format(
          "This run was begun on \"{}\" and continues on \"{}\": its weights will not be bit-identical "
          "to an uninterrupted run",
          meta("numerics"), numerics_);
    return true;
  }

 private:
  const Problem& problem_;
  std::filesystem::path file_;
  std::string numerics_;
  const RunConfig& config_;
};

}  // namespace

double learning_rate(const OptimiserConfig& c, std::int64_t step, std::int64_t total) {
  const double warm = c.warmup * static_cast<double>(total);
  const double s = static_cast<double>(step);
  if (s < warm) return c.rate * (s + 1) / (warm + 1);
  const double t = (s - warm) / std::max(1.0, static_cast<double>(total) - warm);
  return c.rate * (c.floor + (1 - c.floor) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, t))));
}

OptimiseResult optimise(Problem& p, const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  AdamW adam(p.parameters, {.weight_decay = p.optimiser.weight_decay, .clip = p.optimiser.clip});
  WeightAverage average(p.parameters, p.optimiser.ema);
  const Checkpoint checkpoint(p, config, run / run_file::resume);
  const std::int64_t total = p.epochs * p.steps;
  const std::uint64_t noise = stream_key(static_cast<std::uint64_t>(config.seed), Purpose::dropout);
  const std::int64_t read_every = p.read_every > 0 ? p.read_every : p.device.is_cuda() ? kReadOnGpu : 1;
  const auto stop = [&] { return monitor.should_stop(); };
  const std::string stage = stage_name(p.stage), kept = (run / run_file::resume).string();
  Position at;
  TensorMap best;
  Stopwatch watch;

  const auto emit = [&](const char* type, nlohmann::json values) {
    Event event;
    event.type = type;
    event.stage = p.stage;
    event.epoch = at.epoch;
    event.step = at.epoch * p.steps + at.step;
    event.seconds = watch.seconds();
    event.values = std::move(values);
    if (p.head_n > 0) event.values["n"] = p.head_n;
    monitor.event(event);
  };

  std::string warning;
  const bool resumed = checkpoint.load(at, best, average, adam, warning);
  const double before = at.seconds;
  emit(resumed ? "resumed" : "stage-started", {{"epochs", p.epochs}, {"steps", p.steps}});
  if (!warning.empty()) emit("warning", {{"text", warning}});

  // A step that was broken off has changed nothing: where none was made since the last checkpoint, or since the stage's
  // start, the next session goes on from there.
  std::int64_t kept_step = at.epoch * p.steps + at.step;
  std::vector<Unread> unread;
  std::function<void()> read;
  const auto save = [&] {
    read();
    at.seconds = before + watch.seconds();
    checkpoint.save(at, best, average, adam);
    kept_step = at.epoch * p.steps + at.step;
  };
  const auto leave = [&] {
    if (at.epoch * p.steps + at.step != kept_step) save();
    throw Stopped();
  };
  const auto refuse = [&](const char* what, double value) {
    save();
    fail(
        "The {} became {} at step {} of stage {} ({} of epoch {}); the last good weights are kept in {}: lower "
        "{}.rate or set {}.clip, and start a new run",
        what, value, at.epoch * p.steps + at.step, stage, at.step, at.epoch, kept, stage, stage);
  };
  const auto count = [&](std::int64_t step, double loss) {
    at.sum += loss;
    if (at.epoch == 0 && step == 0) at.first = loss;
  };
  read = [&] {
    if (unread.empty()) return;
    const std::vector<Unread> steps = std::exchange(unread, {});
    std::vector<torch::Tensor> told;
    for (const Unread& step : steps) told.insert(told.end(), {step.loss.to(torch::kFloat64), step.norm});
    const torch::Tensor values = at::stack(told).to(torch::kCPU);
    const double* value = values.const_data_ptr<double>();
    for (const Unread& step : steps) {
      const double loss = *value++, norm = *value++;
      if (!std::isfinite(loss) || !std::isfinite(norm)) {
        at.step = step.step;
        std::isfinite(loss) ? refuse("gradient's norm", norm) : refuse("training loss", loss);
      }
      count(step.step, loss);
    }
  };

  Stopwatch since_checkpoint, since_progress;
  RateMeter meter;
  bool rising = false;
  const auto rise = [&] { return at.last_validation - at.first; };
  while (at.epoch < p.epochs && !(rise() > kLost)) {
    try {
      if (p.begin_epoch) p.begin_epoch(at.epoch, save);
    } catch (const Stopped&) {
      save();
      throw;
    }
    for (; at.step < p.steps; ++at.step) {
      if (monitor.should_stop()) leave();
      if (p.preview && monitor.wants_preview()) {
        const WeightAverage::InPlace shown(average);
        p.preview();
      }
      const std::int64_t global = at.epoch * p.steps + at.step;
      torch::Tensor loss;
      try {
        const Interruptible within(stop);
        loss = p.gradients(at.epoch, at.step, noise_key(noise, global));
      } catch (const Stopped&) {
        leave();
      }
      const double rate = learning_rate(p.optimiser, global, total);
      if (read_every > 1) {
        unread.push_back({at.step, loss, adam.step_unread(rate, loss)});
        if (static_cast<std::int64_t>(unread.size()) >= read_every) read();
      } else {
        const double value = loss.item<double>();
        if (!std::isfinite(value)) refuse("training loss", value);
        const double norm = adam.step(rate);
        if (!std::isfinite(norm)) refuse("gradient's norm", norm);
        count(at.step, value);
      }
      adam.zero_grad();
      average.update(global);
      meter.update(static_cast<double>(global));
      if (since_progress.seconds() > 0.1) {
        since_progress.restart();
        const std::int64_t counted = at.step + 1 - static_cast<std::int64_t>(unread.size());
        Progress progress;
        progress.stage = p.stage;
        progress.done = global + 1;
        progress.total = total;
        progress.unit = "steps";
        progress.rate = meter.rate();
        progress.sets_per_second = meter.rate() * static_cast<double>(p.optimiser.batch);
        progress.eta_seconds = meter.rate() > 0 ? static_cast<double>(total - global) / meter.rate() : 0;
        if (counted > 0) progress.loss = at.sum / static_cast<double>(counted);
        if (std::isfinite(at.best)) progress.validation = at.best;
        monitor.progress(progress);
      }
      if (since_checkpoint.seconds() > config.checkpoint) {
        read();
        ++at.step;
        save();
        --at.step;
        since_checkpoint.restart();
      }
    }
    read();
    if (monitor.should_stop()) leave();
    double validation = NAN;
    try {
      at::NoGradGuard no_grad;
      const Interruptible within(stop);
      const WeightAverage::InPlace judged(average);
      validation = p.validate();
    } catch (const Stopped&) {
      leave();
    }
    if (!std::isfinite(validation)) refuse("validation loss", validation);
    at.last_train = at.sum / static_cast<double>(p.steps);
    at.last_validation = validation;
    emit("loss", {{"train", at.last_train},
                  {"validation", validation},
                  {"rate", learning_rate(p.optimiser, (at.epoch + 1) * p.steps - 1, total)}});
    if (validation > at.best + kRising && !rising) {
      rising = true;
      emit("warning",
           {{"text", fmt::format("the validation loss rose from {:.4g} to {:.4g}: the best weights are kept, "
                                 "but a lower {}.rate may serve this stage better",
                                 at.best, validation, stage)}});
    }
    if (validation < at.best) {
      at.best = validation;
      at.best_epoch = at.epoch;
      best = copies(average.on() ? average.values() : p.parameters);
    }
    ++at.epoch;
    at.step = 0;
    at.sum = 0;
    if (p.optimiser.patience > 0 && at.epoch - 1 - at.best_epoch >= p.optimiser.patience) break;
  }
  if (rise() > kDiverged) {
    save();
    fail(
        "Stage {} diverged: the validation loss is {:.4g} after {} of {} epochs, and the first step's loss was {:.4g}; "
        "the best weights, of validation loss {:.4g}, are kept in {}: lower {}.rate or set {}.clip, and start a new "
        "run",
        stage, at.last_validation, at.epoch, p.epochs, at.first, at.best, kept, stage, stage);
  }
  assign(p.parameters, best);
  return {at.last_train, at.best, at.best_epoch, at.epoch, before + watch.seconds()};
}

}  // namespace pairs
