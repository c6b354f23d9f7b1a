#include <algorithm>
#include <deque>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/simulation_budget.h"
#include "core/target_choice.h"
#include "core/train/settings/config.h"
#include "core/train/settings/unread.h"

namespace pairs {
namespace {
constexpr std::uint64_t kLargestPreset = 1u << 20;
constexpr const char* kJoint = "joint";  // a preset's values for runs on several targets
}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = {
      {"pairs", "PAIRS", {1, 2}, "", true},
      {"n1", "Trained on N = 1", {1}, "", true},
      {"n1-5", "Trained on N = 1–5", {1, 2, 3, 4, 5}, "", true},
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

namespace {

struct PresetText {
  std::string text, where;
};

PresetText preset_text(const TaskLibrary& tasks, const TaskInfo& task, const std::string& preset) {
  if (!task.file.empty()) return {tasks.preset(task, preset), fmt::format("the preset {} of {}", preset, task.name)};
  const std::filesystem::path file = assets_folder() / "presets" / task.name / (preset + ".toml");
  return {read_file(file, kLargestPreset), printable(file.string(), 300)};
}

// Reads into `config` a preset's values for all runs ("") or under the name of a strategy or kJoint.
void read_preset(const PresetText& preset, const TaskInfo& task, RunConfig& config, const std::string& name) {
  std::deque<RunConfig> others;  // receives the values that are not used
  std::vector<Field> all;
  const auto add = [&](RunConfig& values, const std::string& table) {
    for (Field& field : fields(values)) {
      if (!table.empty()) field.key = table + "." + field.key;
      all.push_back(std::move(field));
    }
  };
  const auto values_of = [&](const std::string& table) -> RunConfig& {
    if (table == name) return config;
    RunConfig& other = others.emplace_back();
    other.tasks = config.tasks;
    other.task = task.name;
    return other;
  };
  add(values_of(""), "");
  add(values_of(kJoint), kJoint);
  for (const Strategy& one : strategies()) add(values_of(one.name), one.name);
  read_toml(preset.text, all, preset.where);
}

}  // namespace

std::vector<std::string> preset_names() {
  return {"quick", "small", "paper"};
}

RunConfig preset_values(const Tasks& tasks, const TaskInfo& task, const std::string& preset,
                        const std::string& strategy_name) {
  const std::vector<std::string> names = preset_names();
  if (std::find(names.begin(), names.end(), preset) == names.end()) {
    const std::string near = nearest(preset, names);
    fail_usage("There is no preset \"{}\"{}; presets are {}", preset,
               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), fmt::join(names, ", "));
  }
  RunConfig config;
  config.tasks = tasks;
  config.task = task.name;
  config.preset = preset;
  config.strategy = strategy_name;
  const Strategy& plan = strategy(strategy_name);
  const PresetText text = preset_text(*tasks, task, preset);
  read_preset(text, task, config, "");
  if (task.targets.size() > 1) read_preset(text, task, config, kJoint);
  PAIRS_CHECK(config.task == task.name && config.preset == preset && config.task_file.empty(),
              "The preset file {}/{}.toml must not set task or preset", task.name, preset);
  config.task_file = task.file;
  // A preset may choose among sizes up to two for its task's pairs (the paper's exact tasks train only on sets of two).
  const bool pairs = plan.sizes == std::vector<std::int64_t>{1, 2};
  if (!pairs || config.pretrain.sizes != std::vector<std::int64_t>{2}) config.pretrain.sizes = plan.sizes;
  if (!plan.head.empty()) config.estimator.head.kind = plan.head;
  // The paper's exact tasks hide N from heads that see one size; one that sees several needs it.
  if (config.pretrain.sizes.size() > 1 && config.estimator.encoding == "none") config.estimator.encoding = "log";
  read_preset(text, task, config, strategy_name);
  return config;
}

namespace {

bool assigns(const std::vector<std::string>& assignments, const std::string& key) {
  return std::any_of(assignments.begin(), assignments.end(),
                     [&](const std::string& one) { return assigned_key(one) == key; });
}

std::string list_text(const std::vector<std::int64_t>& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

// A strategy is defined by the N that the embedder sees: with other sizes a run would have the wrong name. Pairs may be
// only sets of two.
void check_strategy_sizes(const RunConfig& config) {
  const Strategy& plan = strategy(config.strategy);
  const std::vector<std::int64_t>& sizes = config.pretrain.sizes;
  const bool pairs = plan.sizes == std::vector<std::int64_t>{1, 2} && sizes == std::vector<std::int64_t>{2};
  if (plan.sizes.empty() || sizes.empty() || sizes == plan.sizes || pairs) return;
  std::string other;
  for (const Strategy& one : strategies())
    if (other.empty() && one.sizes == sizes) other = fmt::format(", or use the strategy {}", one.name);
  fail_usage("{} = {} contradicts the strategy {}, whose sets have {} observations; leave it out{}",
             "pretrain.sizes"_key, list_text(sizes), plan.name, list_text(plan.sizes), other);
}

}  // namespace

TaskInfo with_own_choices(const Tasks& tasks, const TaskInfo& task, const std::vector<std::string>& assignments) {
  RunConfig own;
  own.tasks = tasks;
  own.task = task.name;
  bool any = false;
  for (const std::string& one : assignments)
    if (const std::string key = assigned_key(one); key == kTaskTargets || key == kTaskSimulations) {
      set_field(fields(own), one);
      any = true;
    }
  return any ? tasks->make(task.name, {"", own.task_settings})->info() : task;
}

RunConfig load_preset(const Tasks& tasks, const TaskInfo& own, const std::string& preset,
                      const std::string& strategy_name, const std::vector<std::string>& assignments) {
  const TaskInfo task = with_own_choices(tasks, own, assignments);
  RunConfig config = preset_values(tasks, task, preset, strategy_name);
  for (const std::string& assignment : assignments) set_field(fields(config), assignment);
  for (const std::string& assignment : assignments)
    if (const std::string key = assigned_key(assignment), why = unread_because(config, key); !why.empty())
      fail_usage(ErrorPlace{fmt::format("setting '{}'", printable(assignment))},
                 "nothing reads {}, since {}; leave it out", SettingKey{key}, why);
  if (assigns(assignments, "pretrain.sizes")) check_strategy_sizes(config);
  // End-to-end training uses by default the largest size in the cache of the other strategies.
  if (strategy(strategy_name).sizes.empty() && config.pretrain.sizes.empty() && !config.cache.sizes.empty())
    config.pretrain.sizes = {config.cache.sizes.back()};
  if (config.task != task.name)
    fail_usage("--set {}= cannot change the task; name it as the command's argument", "task.name"_key);
  if (config.task_file != task.file) fail_usage("--set task_file= cannot change the task; use --task-file");
  if (config.preset != preset || config.strategy != strategy_name)
    fail_usage("--set preset= and --set strategy= would change names and nothing else; use --preset and --strategy");
  // The largest set size may depend on the task's own settings.
  if (config.task_settings.empty())
    validate(config, task);
  else
    validate(config, tasks->make(config.task, {"", config.task_settings})->info());
  return config;
}

}  // namespace pairs
