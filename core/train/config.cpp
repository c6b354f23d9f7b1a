#include "core/train/config.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/target_model.h"
#include "core/task_factory.h"
#include "core/version.h"

namespace pairs {
namespace {

constexpr const char* kTaskTable = "task.";
constexpr const char* kTaskName = "task.name";
constexpr const char* kFormerTaskName = "task";
constexpr std::uint64_t kLargestConfig = 1u << 20;

std::vector<Field> optimiser_fields(const std::string& table, OptimiserConfig& o, double fewest_epochs) {
  const auto key = [&](const char* name) { return table + "." + name; };
  return {
      {key("epochs"), &o.epochs, "Passes over the sets, or groups of `steps` for unlimited sources", fewest_epochs,
       1e9},
      {key("steps"), &o.steps, "Most steps an epoch; 0 = one pass over a finite source", 0, 1e9},
      {key("batch"), &o.batch, "Sets a step", 1, 1e7},
      {key("rate"), &o.rate, "Initial learning rate of AdamW", 1e-12, 10},
      {key("floor"), &o.floor, "The cosine ends at rate * floor", 0, 1},
      {key("weight_decay"), &o.weight_decay, "Decoupled weight decay", 0, 10},
      {key("warmup"), &o.warmup, "Share of all steps with a rising rate", 0, 0.99},
      {key("clip"), &o.clip, "Largest global gradient norm, 0 = off", 0, 1e9},
      {key("patience"), &o.patience, "Epochs without a better validation loss before stopping, 0 = never", 0, 1e9},
      {key("ema"), &o.ema, "Decay a step of the moving average of the weights, which is what is kept; 0 = off", 0,
       0.999999},
  };
}

std::int64_t biggest(const std::vector<std::int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

void check_sizes(const std::vector<std::int64_t>& sizes, const char* key) {
  if (sizes.empty()) fail_usage("{} is empty; list at least one set size", key);
}

// Names the file in the usage error that `check` throws.
template <class Check>
void in_file(const std::filesystem::path& file, Check&& check) {
  try {
    check();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(file.string(), 300), error.what()), error.kind());
  }
}

// The former keys of other tasks' settings: files of older versions hold those of every task, at their defaults where
// they mean nothing.
class FormerSettings {
 public:
  // None of them is a key of `known`.
  FormerSettings(const std::string& task, const std::vector<Field>& known) {
    for (const std::string& name : registered_task_names())
      if (name != task) others_.emplace_back(name, default_task_settings(name));
    for (auto& [name, settings] : others_)
      for (Field& field : settings.fields())
        for (const std::string& key : field.former) add(name, key, field, known);
  }
  FormerSettings(const FormerSettings&) = delete;
  FormerSettings& operator=(const FormerSettings&) = delete;

  const std::vector<Field>& fields() const { return fields_; }

  // A setting must not lose its effect silently.
  void check(const std::string& task, const std::string& where) const {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (const std::string is = field_text(fields_[i]); is != usual_[i])
        fail_usage("{}: '{}' is a setting of the task {} and means nothing for {}; remove it", where, fields_[i].key,
                   owners_[i], printable(task));
  }

 private:
  void add(const std::string& owner, const std::string& key, const Field& field, const std::vector<Field>& known) {
    const auto taken = [&](const Field& other) {
      return other.key == key || std::find(other.former.begin(), other.former.end(), key) != other.former.end();
    };
    if (std::any_of(known.begin(), known.end(), taken) || std::any_of(fields_.begin(), fields_.end(), taken)) return;
    fields_.push_back(field);
    fields_.back().key = key;
    fields_.back().former.clear();
    usual_.push_back(field_text(field));
    owners_.push_back(owner);
  }

  std::deque<std::pair<std::string, TaskSettings>> others_;  // what the fields are bound to
  std::vector<Field> fields_;
  std::vector<std::string> usual_, owners_;
};

std::string recorded_task(std::string_view text, const std::string& where) {
  return find_toml_text(text, {kTaskName, kFormerTaskName}, where);
}

// Reads a configuration of this task as whichever version recorded it, and beside it `more`.
void read_recorded(std::string_view text, const std::string& task, RunConfig& config, const std::vector<Field>& more,
                   const std::string& where) {
  config.task = task;
  config.task_settings = default_task_settings(config.task);
  std::vector<Field> all = fields(config);
  const FormerSettings former(config.task, all);
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), former.fields().begin(), former.fields().end());
  read_toml(text, all, where);
  former.check(config.task, where);
}

}  // namespace

void check_per_size(std::size_t numbers, std::size_t sizes, const char* name) {
  if (numbers != 1 && numbers != sizes)
    fail_usage("{} holds {} for {}; give one for all, or one a size", name, counted(numbers, "number"),
               counted(sizes, "size"));
}

std::vector<Field> fields(RunConfig& c) {
  if (c.task_settings.empty()) c.task_settings = default_task_settings(c.task);
  std::vector<Field> all = {{kTaskName, &c.task, "Task", -1e300, 1e300, {}, {kFormerTaskName}}};
  for (Field& own : c.task_settings.fields()) {
    own.key = kTaskTable + own.key;
    all.push_back(std::move(own));
  }
  const auto append = [&](std::vector<Field> more) {
    for (Field& f : more) all.push_back(std::move(f));
  };
  append({
      {"preset", &c.preset, "Preset the settings started from"},
      {"strategy", &c.strategy, "Which N the embedder saw, and with which head"},
      {"seed", &c.seed, "Seed of everything random", 0, 9007199254740992.0},
      {"device", &c.device, "auto, cpu or cuda", -1e300, 1e300, {"auto", "cpu", "cuda"}},
      {"threads", &c.threads, "CPU threads, 0 = all cores", 0, 4096},
      {"checkpoint", &c.checkpoint, "Seconds between checkpoints of stages 1 and 3", 0, 1e6},
      {"data", &c.data, "Folder of real data, empty = none"},
      {"note", &c.note, "Free text"},
  });
  append(fields(c.estimator));
  append(optimiser_fields("pretrain", c.pretrain, 0));
  append({
      {"pretrain.from", &c.pretrain.from, "Run whose weights stage 1 starts from, empty = fresh weights"},
      {"pretrain.sizes", &c.pretrain.sizes, "Set sizes, drawn equally often", 1, 1e9},
      {"pretrain.budget", &c.pretrain.budget, "Observations simulated again each epoch, 0 = never-repeated sets", 0,
       1e12},
      {"pretrain.scale_epochs", &c.pretrain.scale_epochs, "Epochs times the largest size (paper, Epoch scaling)"},
      {"pretrain.turn", &c.pretrain.turn, "Each visit turns all images of a set by quarters, drawn anew"},
      {"pretrain.validation_sets", &c.pretrain.validation_sets, "Validation sets where the source is unlimited", 1,
       1e9},
      {"cache.mode",
       &c.cache.mode,
       "fixed: one aggregate a set; blocks: sums of blocks, any union of which is a set",
       -1e300,
       1e300,
       {"fixed", "blocks"}},
      {"cache.sizes", &c.cache.sizes, "Largest set size of each group of cached sets", 1, 1e9},
      {"cache.sets", &c.cache.sets, "Cached sets: one number for all groups, or one a group", 1, 1e10},
      {"cache.oversample", &c.cache.oversample, "blocks: observations cached a set over its size", 1, 100},
      {"cache.copies", &c.cache.copies, "blocks: blocks of each size below the largest", 1, 1000},
      {"cache.pieces", &c.cache.pieces, "blocks: largest block is the set size over this", 1, 1000},
      {"cache.refresh", &c.cache.refresh, "Epochs after which the training sets are simulated anew, 0 = never", 0, 1e9},
      {"cache.chunk", &c.cache.chunk, "Observations embedded at once, 0 = by their size", 0, 1e9},
      {"cache.validation", &c.cache.validation, "Share of the sets kept for validation", 0.001, 0.9},
  });
  append(optimiser_fields("finetune", c.finetune, 1));
  append({
      {"finetune.heads",
       &c.finetune.heads,
       "One head for all N, or one for each of cache.sizes",
       -1e300,
       1e300,
       {"amortised", "per-n"}},
      {"finetune.start",
       &c.finetune.start,
       "Weights stage 3 starts from; linear: fresh, on a least-squares residual",
       -1e300,
       1e300,
       {"pretrained", "fresh", "linear"}},
      {"finetune.law",
       &c.finetune.law,
       "Law of N: log-uniform from 1, or the cache's sizes",
       -1e300,
       1e300,
       {"log-uniform", "list"}},
      {"finetune.validation_draws", &c.finetune.validation_draws, "Aggregates drawn once from the held-out sets", 16,
       1e8},
      {"evaluate.sizes", &c.evaluate.sizes, "Set sizes", 1, 1e9},
      {"evaluate.sets", &c.evaluate.sets, "Test sets: one number for all sizes, or one a size", 2, 1e9},
      {"evaluate.samples", &c.evaluate.samples, "Posterior samples a set", 2, 1e7},
  });
  return all;
}

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = {
      {"pairs", "PAIRS", {1, 2}, "", true},
      {"n1", "Trained on N = 1", {1}, "", true},
      {"n1-10", "Trained on N = 1–10", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "", true},
      {"e2e", "End to end", {}, "", false},
      {"gaussian", "Gaussian regression", {1, 2}, "gaussian", true},
  };
  return all;
}

const Strategy& strategy(const std::string& name) {
  std::vector<std::string> names;
  for (const Strategy& s : strategies()) {
    if (s.name == name) return s;
    names.push_back(s.name);
  }
  const std::string near = nearest(name, names);
  fail_usage("There is no strategy \"{}\"{}; strategies are {}", name,
             near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), fmt::join(names, ", "));
}

std::vector<std::string> preset_names() {
  return {"quick", "small", "paper"};
}

void validate(const RunConfig& c) {
  const Strategy& plan = strategy(c.strategy);
  check_sizes(c.pretrain.sizes, "pretrain.sizes");
  check_sizes(c.evaluate.sizes, "evaluate.sizes");
  check_per_size(c.evaluate.sets.size(), c.evaluate.sizes.size(), "evaluate.sets");
  if (c.pretrain.epochs == 0 && c.pretrain.from.empty())
    fail_usage("pretrain.epochs = 0 trains nothing; set it to 1 or more, or name a run in pretrain.from");
  if (c.pretrain.budget > 0 && c.pretrain.budget / biggest(c.pretrain.sizes) < 10)
    fail_usage("pretrain.budget = {} observations make fewer than 10 sets of {}; raise it or set it to 0",
               c.pretrain.budget, biggest(c.pretrain.sizes));
  validate(c.estimator.head);
  validate(c.estimator.embedder);
  if (c.estimator.encoding == "none" && c.pretrain.sizes.size() > 1)
    fail_usage("encoding = \"none\" hides N from the head, so pretrain.sizes may hold one size only");
  if (!plan.stages_2_and_3) return;
  check_sizes(c.cache.sizes, "cache.sizes");
  check_per_size(c.cache.sets.size(), c.cache.sizes.size(), "cache.sets");
  if (!std::is_sorted(c.cache.sizes.begin(), c.cache.sizes.end()) ||
      std::adjacent_find(c.cache.sizes.begin(), c.cache.sizes.end()) != c.cache.sizes.end())
    fail_usage("cache.sizes must grow from one to the next");
  for (std::int64_t sets : c.cache.sets)
    if (static_cast<double>(sets) * c.cache.validation < 2 || static_cast<double>(sets) * (1 - c.cache.validation) < 2)
      fail_usage("cache.sets = {} leaves fewer than two sets for training or validation; raise it", sets);
  if (c.finetune.law == "log-uniform" && c.cache.mode == "fixed")
    fail_usage("finetune.law = \"log-uniform\" needs cache.mode = \"blocks\": a fixed cache only holds its own sizes");
  if (c.finetune.start == "linear" && head_kind(c.estimator.head.kind).confines && c.estimator.head.support == "box")
    fail_usage(
        "finetune.start = \"linear\" shifts the target, which head.support = \"box\" does not allow; use "
        "\"pretrained\" or \"fresh\"");
  if (c.finetune.heads == "per-n" && c.finetune.law != "list")
    fail_usage("finetune.heads = \"per-n\" needs finetune.law = \"list\": each head is trained at one size");
  const bool mixed = c.finetune.heads == "amortised" && (c.finetune.law == "log-uniform" || c.cache.sizes.size() > 1);
  if (c.estimator.encoding == "none" && mixed)
    fail_usage(
        "encoding = \"none\" hides N from the head, but stage 3 mixes sizes; use \"log\" or \"linear\", or "
        "finetune.heads = \"per-n\" with finetune.law = \"list\"");
}

void validate(const RunConfig& c, const TaskInfo& task) {
  const Strategy& plan = strategy(c.strategy);
  const auto check_reach = [&](const std::vector<std::int64_t>& sizes, const char* key) {
    if (!sizes.empty() && biggest(sizes) > task.max_n)
      fail_usage("{} asks for N = {}, beyond the largest N of task {}, which is {}", key, biggest(sizes), task.name,
                 task.max_n);
  };
  check_reach(c.pretrain.sizes, "pretrain.sizes");
  check_reach(c.evaluate.sizes, "evaluate.sizes");
  if (plan.stages_2_and_3) check_reach(c.cache.sizes, "cache.sizes");
  validate(c);
  const TargetModel& target = target_model(task);
  if (!target.modelled_by(head_kind(c.estimator.head.kind)))
    fail_usage("head.kind = \"{}\"{} does not model the target of task {}, which is {}", c.estimator.head.kind,
               plan.head.empty() ? "" : fmt::format(" (strategy {})", c.strategy), task.name, target.refusal());
  if (c.pretrain.turn && !task.turns)
    fail_usage("pretrain.turn = true would change what task {} asks for or what its sets are like; set it to false",
               task.name);
  if (!target.linear() && c.finetune.start == "linear")
    fail_usage(
        "finetune.start = \"linear\" cannot fit the target of task {}, an image; use \"pretrained\" or \"fresh\"",
        task.name);
}

RunConfig preset_values(const TaskInfo& task, const std::string& preset, const std::string& strategy_name) {
  const std::vector<std::string> names = preset_names();
  if (std::find(names.begin(), names.end(), preset) == names.end()) {
    const std::string near = nearest(preset, names);
    fail_usage("There is no preset \"{}\"{}; presets are {}", preset,
               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), fmt::join(names, ", "));
  }
  RunConfig config;
  config.task = task.name;
  config.preset = preset;
  config.strategy = strategy_name;
  const Strategy& plan = strategy(strategy_name);
  read_toml_file(assets_folder() / "presets" / task.name / (preset + ".toml"), fields(config));
  PAIRS_CHECK(config.task == task.name && config.preset == preset,
              "The preset file {}/{}.toml must not set task or preset", task.name, preset);
  // A preset may say which sizes up to two its task's pairs have (the paper's exact tasks train on sets of two alone).
  const bool pairs = plan.sizes == std::vector<std::int64_t>{1, 2};
  if (!pairs || config.pretrain.sizes != std::vector<std::int64_t>{2}) config.pretrain.sizes = plan.sizes;
  if (!plan.head.empty()) config.estimator.head.kind = plan.head;
  // The paper's exact tasks hide N from heads that see one size; one that sees several must be told.
  if (config.pretrain.sizes.size() > 1 && config.estimator.encoding == "none") config.estimator.encoding = "log";
  return config;
}

RunConfig load_preset(const TaskInfo& task, const std::string& preset, const std::string& strategy_name,
                      const std::vector<std::string>& assignments) {
  RunConfig config = preset_values(task, preset, strategy_name);
  for (const std::string& assignment : assignments) set_field(fields(config), assignment);
  // End to end trains at the largest size that the other strategies are cached for, unless told otherwise.
  if (strategy(strategy_name).sizes.empty() && config.pretrain.sizes.empty() && !config.cache.sizes.empty())
    config.pretrain.sizes = {config.cache.sizes.back()};
  if (config.task != task.name)
    fail_usage("--set task.name= cannot change the task; name it as the command's argument");
  if (config.preset != preset || config.strategy != strategy_name)
    fail_usage("--set preset= and --set strategy= would change names and nothing else; use --preset and --strategy");
  validate(config, task);
  return config;
}

std::string training_settings(const RunConfig& config) {
  RunConfig copy = config;
  return write_toml(fields(copy));
}

std::string changed_setting(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where) {
  RunConfig then, now = config;
  read_recorded(recorded, recorded_task(recorded, where), then, {}, where);
  const auto decides = [&](const std::string& key) {
    for (const char* other : {"note", "data", "device", "threads", "checkpoint"})
      if (key == other) return false;
    if (stage == Stage::pretrain && (key.starts_with("cache.") || key.starts_with("finetune."))) return false;
    return !key.starts_with("evaluate.");
  };
  const std::vector<Field> before = fields(then), after = fields(now);
  // Of two tasks the first field, their name, differs.
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
    if (const std::string was = field_text(before[i]), is = field_text(after[i]); decides(before[i].key) && was != is)
      return fmt::format("{} was trained with {} = {}, not {}", where, before[i].key, was, is);
  return "";
}

std::string write_run_toml(const RunConfig& config, const std::string& numerics) {
  RunConfig copy = config;
  return write_toml(fields(copy)) +
         fmt::format("\n[versions]\npairs = \"{}\"\nnumerics = \"{}\"\n", kVersion, numerics);
}

std::shared_ptr<const Task> make_run_task(const RunConfig& config, const std::filesystem::path& file) {
  std::shared_ptr<const Task> task = make_registered_task(config.task, config.task_options());
  in_file(file, [&] { validate(config, task->info()); });
  return task;
}

RunConfig read_run_toml(const std::filesystem::path& file) {
  RunConfig config;
  std::string version, numerics;
  const std::string where = printable(file.string(), 300);
  const std::string text = read_file(file, kLargestConfig);
  const std::vector<std::string> tasks = registered_task_names();
  const std::string task = recorded_task(text, where);
  PAIRS_CHECK(task.empty() || tasks.empty() || std::find(tasks.begin(), tasks.end(), task) != tasks.end(),
              "This program has no task \"{}\", which {} names; open the run with a program that has it",
              printable(task), where);
  read_recorded(text, task, config,
                {{"versions.pairs", &version, "Program that made the run"},
                 {"versions.numerics", &numerics, "What decides bit-identical results"}},
                where);
  PAIRS_CHECK(!config.task.empty(), "{} names no task: it is empty or damaged; restore it or start a new run", where);
  in_file(file, [&] { validate(config); });
  return config;
}

}  // namespace pairs
