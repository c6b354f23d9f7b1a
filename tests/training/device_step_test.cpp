#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/nn/adamw.h"
#include "core/train/run/run.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/set_gradients.h"
#include "core/train/stages/stage_tools.h"
#include "core/train/steps/weight_average.h"
#include "tasks/registry.h"
#include "tests/on_device.h"
#include "tests/read_settings.h"
#include "tests/small_data.h"
#include "tests/value_reads.h"

namespace pairs {
namespace {

using TensorMap = std::map<std::string, torch::Tensor>;

// A preset with its own kinds of layers, and few sets a step; networks that would take minutes are narrower.
RunConfig step_config(const std::string& task, const std::string& preset) {
  std::vector<std::string> set = {"pretrain.batch=8", "finetune.batch=8"};
  if (task == "novel-view") {
    set = {"pretrain.batch=2", "finetune.batch=2"};
    if (preset != "quick")
      set.insert(set.end(),
                 {"task.size=32", "head.channels=32", "head.attention_channels=16", "embedder.channels=[16,32,32,32]"});
  }
  if (task == "objects" && preset == "paper")
    set.insert(set.end(), {"task.side=64", "embedder.channels=[16,16,32,32,64]"});
  const std::vector<std::string> small = small_data(task);
  set.insert(set.end(), small.begin(), small.end());
  return load_read(built_in_tasks(), built_in_tasks()->make(task)->info(), preset, "pairs", set);
}

// One a preset: a task may keep what it made.
std::shared_ptr<const Task> task_of(const RunConfig& config) {
  static std::map<std::pair<std::string, std::string>, std::shared_ptr<const Task>> made;
  std::shared_ptr<const Task>& task = made[{config.task, config.preset}];
  if (!task) task = built_in_tasks()->make(config.task, config.task_options());
  return task;
}

struct Stepper {
  std::shared_ptr<const Task> task;
  Estimator estimator;
  RunConfig config;

  Stepper(const RunConfig& of, const torch::Device& device)
      : task(task_of(of)), estimator(task, of.estimator, 3), config(of) {
    // What starts at zero would hide what lies behind it.
    at::NoGradGuard no_grad;
    auto generator = at::detail::createCPUGenerator(4);
    for (auto& [name, tensor] : parameters())
      if (tensor.abs().max().item<double>() == 0) tensor.copy_(0.02 * torch::randn(tensor.sizes(), generator));
    estimator.to(device);
    estimator.train(true);
    estimator.set_noise(5);
  }
  TensorMap parameters() const {
    TensorMap out = estimator.embedder_parameters();
    out.merge(estimator.head_parameters());
    return out;
  }
  SetBatch sets(const torch::Device& device) const {
    const SetSource source(task, 1, config.pretrain.sizes, 0, 16);
    return source.timed(0, config.pretrain.batch, device);
  }
  // Aggregates as stage 3 draws them, on the CPU.
  AggregateBatch aggregates() const {
    const std::int64_t rows = config.finetune.batch;
    std::vector<std::int64_t> index(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i) index[static_cast<std::size_t>(i)] = i;
    const Latents latents = task->latents(1, Purpose::check, index);
    AggregateBatch batch;
    batch.theta = latents.theta;
    batch.given = latents.given;
    batch.aggregates = torch::randn({rows, estimator.embedding_size()}, at::detail::createCPUGenerator(6));
    batch.n = torch::arange(1, rows + 1);
    return batch;
  }
  void standardize() {
    const std::int64_t l = estimator.embedding_size();
    const torch::Tensor eye = torch::eye(l, torch::kDouble);
    estimator.set_statistics({torch::full({l}, 0.1, torch::kDouble), 0.5 * eye, 2 * eye, {}}, false, 1);
  }
};

// Everything that one step of an optimizer does and leaves behind.
struct Step {
  double loss, norm;
  torch::Tensor before, gradient, update, average;
};

torch::Tensor joined_values(const TensorMap& tensors) {
  std::vector<torch::Tensor> parts;
  for (const auto& [name, tensor] : tensors) parts.push_back(tensor.detach().flatten().to(torch::kCPU, torch::kDouble));
  return at::cat(parts);
}

template <class LossOf>
Step one_step(TensorMap parameters, const OptimizerConfig& optimizer, const LossOf& loss_of) {
  AdamW adam(parameters, {.weight_decay = optimizer.weight_decay, .clip = optimizer.clip});
  WeightAverage average(parameters, 0.9);
  const Loss loss = loss_of();
  loss.total().backward();
  Step step;
  step.before = joined_values(parameters);
  step.loss = loss.value.template item<double>();
  TensorMap gradients;
  for (const auto& [name, tensor] : parameters)
    if (tensor.grad().defined()) gradients[name] = tensor.grad();
  step.gradient = joined_values(gradients);
  step.norm = adam.step(optimizer.rate);
  average.update(0);
  step.update = joined_values(parameters) - step.before;
  step.average = joined_values(average.values());
  return step;
}

// The first step of AdamW moves a weight by the sign of its gradient: of gradients near zero rounding decides it.
void expect_same_step(const Step& here, const Step& reference, bool bf16) {
  EXPECT_TRUE(std::isfinite(reference.loss));
  EXPECT_GT(reference.norm, 0);
  EXPECT_NEAR(here.loss, reference.loss, (bf16 ? 2e-2 : 1e-4) * std::max(1.0, std::abs(reference.loss)));
  EXPECT_NEAR(here.norm / reference.norm, 1, bf16 ? 0.05 : 1e-3);
  EXPECT_LT(relative_rms(here.gradient, reference.gradient), bf16 ? 0.1 : 2e-3);
  EXPECT_LT(relative_rms(here.update, reference.update), bf16 ? 0.6 : 0.2);
  if (!bf16) {
    EXPECT_LT(relative_rms(here.average, reference.average), 1e-2);
  }
  // The average follows the weights by nine tenths of the first step: exactly of its own, on either device.
  for (const Step* of : {&here, &reference}) EXPECT_LT(relative_rms(of->average, of->before + 0.9 * of->update), 1e-6);
}

bool in_bf16(const RunConfig& config) {
  return training_settings(config).find("precision = \"bf16\"") != std::string::npos;
}

PAIRS_DEVICE_TEST(TrainingStep, OfEveryPresetAgreesWithTheCpu) {
  for (const std::string& task : built_in_tasks()->names())
    for (const std::string& preset : preset_names()) {
      SCOPED_TRACE(task + ", " + preset);
      const RunConfig config = step_config(task, preset);
      Stepper here(config, device), reference(config, torch::kCPU);
      const auto first_stage = [&](Stepper& s, const torch::Device& where) {
        return one_step(s.parameters(), config.pretrain, [&] { return pretrain_loss(s.estimator, s.sets(where)); });
      };
      expect_same_step(first_stage(here, device), first_stage(reference, torch::kCPU), in_bf16(config));
      Stepper later(config, device), later_reference(config, torch::kCPU);
      const auto third_stage = [&](Stepper& s) {
        s.standardize();
        return one_step(s.estimator.head_parameters(), config.finetune,
                        [&] { return finetune_loss(s.estimator, 0, s.aggregates()); });
      };
      expect_same_step(third_stage(later), third_stage(later_reference), in_bf16(config));
    }
}

// Forward, backward, optimizer and moving average: of all values only the sizes of the sets are read, which lie on the
// CPU, to check them before they are encoded.
TEST(TrainingStep, OfEveryPresetReadsNoValueOfTheDevice) {
  for (const std::string& task : built_in_tasks()->names())
    for (const std::string& preset : preset_names())
      for (const std::string strategy : {"pairs", "gaussian"}) {
        if (task == "novel-view" && strategy == "gaussian") continue;  // its target is an image
        SCOPED_TRACE(task + ", " + preset + ", " + strategy);
        RunConfig config = step_config(task, preset);
        if (strategy == "gaussian") config.estimator.head.kind = "gaussian";
        Stepper stepper(config, torch::kCPU);
        const SetBatch batch = stepper.sets(torch::kCPU);
        const AggregateBatch drawn = stepper.aggregates();
        const auto reads_of = [](TensorMap parameters, const auto& loss_of) {
          AdamW adam(parameters, {.clip = 1.0});
          WeightAverage average(parameters, 0.9);
          const ValueReads reads;
          const Loss loss = loss_of();
          loss.total().backward();
          adam.step_unread(1e-3, loss.value.detach());
          adam.zero_grad();
          average.update(0);
          return reads.count();
        };
        const std::int64_t sizes = config.estimator.encoding == "none" ? 0 : 2;  // the smallest and the largest
        EXPECT_EQ(reads_of(stepper.parameters(), [&] { return pretrain_loss(stepper.estimator, batch); }), sizes);
        stepper.standardize();
        EXPECT_EQ(
            reads_of(stepper.estimator.head_parameters(), [&] { return finetune_loss(stepper.estimator, 0, drawn); }),
            sizes);
      }
}

// Some steps of a stage's loss, recorded or not: losses and weights after them, and how many were repeated.
struct Steps {
  std::vector<double> losses;
  torch::Tensor weights;
  std::int64_t repeated = 0;
};

template <class Gradients>
Steps some_steps(TensorMap parameters, RecordedSteps& recorded, const Gradients& gradients) {
  AdamW adam(parameters, {.clip = 1});
  Steps out;
  std::vector<torch::Tensor> losses;
  for (std::uint64_t k = 0; k < 6; ++k) {
    losses.push_back(gradients(k));
    adam.step_unread(1e-3, losses.back());
    adam.zero_grad();
  }
  for (const torch::Tensor& loss : losses) out.losses.push_back(loss.item<double>());
  out.weights = joined_values(parameters);
  out.repeated = recorded.repeated();
  return out;
}

void expect_same(const Steps& recorded, const Steps& plain, bool can_be_recorded) {
  EXPECT_EQ(recorded.repeated, can_be_recorded ? 3 : 0);
  EXPECT_EQ(plain.repeated, 0);
  EXPECT_EQ(recorded.losses, plain.losses);
  EXPECT_TRUE(torch::equal(recorded.weights, plain.weights));
}

// Every step on sets and draws of its own.
PAIRS_DEVICE_TEST(RecordedTraining, OfEveryPresetEndsWithTheSameWeights) {
  for (const std::string& task : built_in_tasks()->names())
    for (const std::string& preset : preset_names()) {
      SCOPED_TRACE(task + ", " + preset);
      const RunConfig config = step_config(task, preset);
      const auto no_warning = [](const std::string& text) { ADD_FAILURE() << text; };
      const auto first_stage = [&](bool on) {
        Stepper s(config, device);
        const SetSource source(s.task, 1, config.pretrain.sizes, 0, 16);
        RecordedSteps recorded = recorded_set_steps(s.estimator, s.parameters(), on, no_warning);
        return some_steps(s.parameters(), recorded, [&](std::uint64_t k) {
          const SetBatch batch =
              source.timed(static_cast<std::int64_t>(k) * config.pretrain.batch, config.pretrain.batch, device);
          return set_gradients(s.estimator, source, batch, k, SetSource::kAll, {}, &recorded);
        });
      };
      expect_same(first_stage(true), first_stage(false), !task_of(config)->info().rows);
      const auto third_stage = [&](bool on) {
        Stepper s(config, device);
        s.standardize();
        const AggregateBatch batch = s.aggregates();
        RecordedSteps recorded = recorded_head_steps(s.estimator, 0, on, no_warning);
        return some_steps(s.estimator.head_parameters(), recorded, [&](std::uint64_t k) {
          AggregateBatch drawn = batch;
          drawn.aggregates = batch.aggregates + 0.1 * static_cast<double>(k);
          return head_gradients(s.estimator, drawn, k, recorded);
        });
      };
      expect_same(third_stage(true), third_stage(false), true);
    }
}

class SilentMonitor : public Monitor {
 public:
  // Asks to stop once after so many polls; 0: never.
  explicit SilentMonitor(int polls = 0) : left_(polls) {}
  void event(const Event& event) override { events.push_back(event); }
  void progress(const Progress&) override {}
  bool should_stop() override { return left_ > 0 && --left_ == 0; }
  std::vector<Event> events;

 private:
  int left_;
};

// A whole run at preset `quick`, a few steps long.
RunConfig short_run(const std::string& task, const torch::Device& device) {
  std::vector<std::string> set = {"threads=2",
                                  std::string("device=") + (device.is_cuda() ? "cuda" : "cpu"),
                                  "checkpoint=0",
                                  "pretrain.budget=0",
                                  "pretrain.epochs=2",
                                  "pretrain.steps=3",
                                  "pretrain.batch=8",
                                  "pretrain.validation_sets=16",
                                  task == "molecules" ? "cache.sizes=[4,6]" : "cache.sizes=[4,20]",
                                  "cache.sets=[20,10]",
                                  "cache.pieces=2",
                                  "finetune.epochs=2",
                                  "finetune.steps=3",
                                  "finetune.batch=8",
                                  "finetune.validation_draws=16"};
  std::vector<std::string> all = small_data(task);
  all.insert(all.end(), set.begin(), set.end());
  return load_read(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", "pairs", all);
}

class DeviceRuns {
 public:
  explicit DeviceRuns(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / fmt::format("pairs-device-{}-{}", name, ::getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~DeviceRuns() { std::filesystem::remove_all(folder_); }
  // Runs to the end, stopped on the way after so many polls, then twice as many and so on (0: never); returns the
  // reported losses.
  std::vector<double> execute(const RunConfig& config, const std::string& name, int polls = 0,
                              Stage until = Stage::finetune) {
    const auto run = create_run(config, folder_ / name);
    for (stops = 0;; ++stops) {
      SilentMonitor monitor(polls << stops);
      try {
        execute_run(built_in_tasks(), run, monitor, until);
        break;
      } catch (const Stopped&) {
        PAIRS_CHECK(stops < 20, "stopped too often to end");
      }
    }
    std::vector<double> losses;
    for (const Event& event : read_events((run / run_file::events).string()))
      if (event.type == EventType::loss)
        losses.insert(losses.end(), {event.values["train"].get<double>(), event.values["validation"].get<double>()});
    return losses;
  }
  std::string file(const std::string& name, const char* which) const { return read_file(folder_ / name / which); }

  bool same_weights(const std::string& one, const std::string& other, const char* which) const {
    const auto a = read_safetensors(folder_ / one / which).tensors,
               b = read_safetensors(folder_ / other / which).tensors;
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& named) {
             const auto there = b.find(named.first);
             return there != b.end() && torch::equal(named.second, there->second);
           });
  }

  int stops = 0;

 private:
  std::filesystem::path folder_;
};

PAIRS_DEVICE_TEST(DeviceRun, OfEveryTaskRepeatsResumesAndAgreesWithTheCpu) {
  for (const std::string& task : built_in_tasks()->names()) {
    SCOPED_TRACE(task);
    DeviceRuns runs(task);
    const RunConfig config = short_run(task, device);
    const auto whole = runs.execute(config, "whole");
    runs.execute(config, "again");
    runs.execute(config, "cut", 9);
    EXPECT_GT(runs.stops, 1);
    RunConfig recorded = config;
    recorded.recorded_steps = true;
    runs.execute(recorded, "recorded");
    // The settings, which the files also contain, differ.
    for (const char* which : {run_file::estimator, run_file::pretrained})
      EXPECT_TRUE(runs.same_weights("whole", "recorded", which)) << which;
    for (const char* other : {"again", "cut"})
      for (const char* which : {run_file::estimator, run_file::pretrained, run_file::cache})
        EXPECT_TRUE(runs.file("whole", which) == runs.file(other, which)) << other << ": " << which;
    ASSERT_EQ(whole.size(), 8u);  // training and validation, two epochs, two stages
    if (device.is_cpu()) continue;
    const auto reference = runs.execute(short_run(task, torch::kCPU), "cpu");
    ASSERT_EQ(whole.size(), reference.size());
    for (std::size_t k = 0; k < whole.size(); ++k)
      EXPECT_NEAR(whole[k], reference[k], (in_bf16(config) ? 0.1 : 0.02) * std::max(1.0, std::abs(reference[k]))) << k;
  }
}

PAIRS_DEVICE_TEST(DeviceCache, AgreesWithTheCpu) {
  for (const std::string& name : built_in_tasks()->names()) {
    SCOPED_TRACE(name);
    const RunConfig config = short_run(name, torch::kCPU);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("pairs-device-cache-{}", ::getpid());
    std::filesystem::create_directories(folder);
    const auto groups = plan_groups(config.cache, false);
    const auto task = built_in_tasks()->make(name, config.task_options());
    const auto cached = [&](const torch::Device& where) {
      Estimator estimator(task, config.estimator, 3);
      estimator.train(false);
      estimator.to(where);
      const auto file = folder / (where.str() + ".cache");
      std::filesystem::remove(file);
      write_cache(file, estimator, groups, 1, 0, 0, [] { return false; }, {});
      const AggregateCache cache(file, estimator, 1, 0);
      return AggregateSampler(groups, SizeDistribution::log_uniform, 0, 5).draw(cache, false, 0, 64);
    };
    const AggregateBatch reference = cached(torch::kCPU), here = cached(device);
    EXPECT_TRUE(torch::equal(here.n, reference.n));
    EXPECT_TRUE(torch::equal(here.index, reference.index));
    if (reference.theta.defined()) {
      EXPECT_TRUE(torch::equal(here.theta, reference.theta));
    }
    // In images, one pixel in a thousand may fall on the other side of an edge.
    EXPECT_LT(relative_rms(here.aggregates, reference.aggregates), in_bf16(config) ? 0.02
                                                                   : task->info().kind == ObservationKind::image
                                                                       ? 1e-3
                                                                       : 1e-5);
    std::filesystem::remove_all(folder);
  }
}

// Stage 1 of the paper's image embedders in bfloat16 ends where it ends in float32, within a tenth of what it gained.
TEST(DeviceRun, InBfloat16LosesNothing_CUDA) {
  PAIRS_NEEDS_CUDA();
  struct Case {
    std::string task, preset;
    std::vector<std::string> set;
  };
  const std::vector<Case> cases = {
      {"circle", "paper", {"task.distractors=0", "pretrain.batch=100"}},
      {"digits", "paper", {"pretrain.rate=1e-3"}},
      {"novel-view", "small", {"head.precision=PRECISION"}},
  };
  for (const Case& of : cases) {
    SCOPED_TRACE(of.task);
    DeviceRuns runs("bf16-" + of.task);
    const auto train = [&](const std::string& precision) {
      std::vector<std::string> set = {"device=cuda",
                                      "pretrain.budget=0",
                                      "pretrain.epochs=3",
                                      "pretrain.steps=150",
                                      "pretrain.patience=0",
                                      "pretrain.validation_sets=4096",
                                      "embedder.precision=" + precision};
      for (const std::string& one : of.set)
        set.push_back(one.ends_with("=PRECISION") ? one.substr(0, one.size() - 9) + precision : one);
      const auto start = std::chrono::steady_clock::now();
      const std::vector<double> losses =
          runs.execute(load_read(built_in_tasks(), built_in_tasks()->make(of.task)->info(), of.preset, "pairs", set),
                       precision, 0, Stage::pretrain);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      std::string text = fmt::format("{:.1f} s, validation", taken.count());
      for (std::size_t k = 1; k < losses.size(); k += 2) text += fmt::format(" {:.4f}", losses[k]);
      RecordProperty(of.task + "_" + precision, text);
      return losses;
    };
    const std::vector<double> wide = train("float32"), narrow = train("bf16");
    ASSERT_EQ(wide.size(), 6u);
    ASSERT_EQ(narrow.size(), 6u);
    const double gained = wide[1] - wide[5];
    EXPECT_GT(gained, 0.0);
    EXPECT_NEAR(narrow[5], wide[5], 0.1 * gained);
  }
}

}  // namespace
}  // namespace pairs
