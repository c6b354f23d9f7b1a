#include "app/model/train/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "app/model/train/swept_values.h"
#include "app/runs/new_run.h"
#include "app/runs/task_options.h"
#include "core/base/text/error.h"
#include "core/simulation_budget.h"
#include "core/target_choice.h"
#include "core/train/run/run_name.h"
#include "core/train/settings/config.h"
#include "core/train/settings/unread.h"
#include "tasks/parts/chosen_targets.h"

namespace pairs::model {
namespace {

std::string section_of(const std::string& key) {
  if (key.starts_with("task.")) return "Task";
  if (key == "encoding" || key.starts_with("embedder.") || key.starts_with("head.")) return "Network";
  if (key.starts_with("pretrain.")) return "Pretrain";
  if (key.starts_with("cache.")) return "Cache";
  if (key.starts_with("finetune.")) return "Finetune";
  if (key.starts_with("evaluate.")) return "Evaluate";
  if (key.starts_with("likelihood.")) return "Likelihood";
  return "Run";
}

SettingKind kind_of(const Field& field) {
  if (!field.choices.empty()) return SettingKind::choice;
  if (std::holds_alternative<bool*>(field.slot)) return SettingKind::yes_no;
  if (std::holds_alternative<std::string*>(field.slot)) return SettingKind::text;
  const bool number = std::holds_alternative<std::int64_t*>(field.slot) || std::holds_alternative<double*>(field.slot);
  return number ? SettingKind::number : SettingKind::numbers;
}

// A value in the user's notation, which set_field parses.
std::string plain(const Field& field) {
  if (const auto* text = std::get_if<std::string*>(&field.slot)) {
    const std::string& value = **text;
    const bool bare = value.empty() ||
                      (value.find_first_of("\"'\n\r\t") == value.npos && value.front() != ' ' && value.back() != ' ');
    return bare ? value : field_text(field);
  }
  std::string text = field_text(field);
  if (kind_of(field) == SettingKind::numbers && text.size() >= 2) text = text.substr(1, text.size() - 2);
  return text;
}

// Keys with their own controls, or those of the preset itself.
bool hidden(const std::string& key) {
  return key == "task.name" || key == "task_file" || key == "preset" || key == "strategy";
}

// Completes settings for end-to-end training as load_preset does.
RunConfig complete(RunConfig config) {
  if (config.pretrain.sizes.empty() && !config.cache.sizes.empty()) config.pretrain.sizes = {config.cache.sizes.back()};
  return config;
}

std::vector<Setting> table_of(RunConfig config, RunConfig base, std::optional<RunConfig> paper) {
  std::vector<Setting> rows;
  const std::vector<Field> now = fields(config), before = fields(base);
  const std::vector<Field> papers = paper ? fields(*paper) : std::vector<Field>();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (hidden(now[i].key) || !unread_because(config, now[i].key).empty()) continue;
    Setting row;
    row.key = now[i].key;
    row.title = now[i].title.empty() ? row.key : now[i].title;
    row.help = now[i].help;
    row.section = section_of(row.key);
    row.kind = kind_of(now[i]);
    row.choices = now[i].choices;
    row.matters = !now[i].title.empty() && row.section != "Run";
    row.value = plain(now[i]);
    row.preset = plain(before[i]);
    row.paper = paper && unread_because(*paper, row.key).empty() ? plain(papers[i]) : "–";
    row.changed = row.value != row.preset;
    rows.push_back(std::move(row));
  }
  // Sorts by section, in order of appearance; settings with a title first.
  const auto rank = [](const Setting& row) {
    constexpr const char* order[] = {"Task",     "Network",    "Pretrain", "Cache",
                                     "Finetune", "Likelihood", "Evaluate", "Run"};
    std::size_t section = 0;
    while (row.section != order[section]) ++section;
    return std::pair(section, row.title == row.key);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Setting& a, const Setting& b) { return rank(a) < rank(b); });
  return rows;
}

// Empty if the strategy has none, and for custom tasks, which are not in the paper.
std::optional<RunConfig> paper_values(const Tasks& tasks, const TaskInfo& info, const std::string& strategy) {
  if (!info.file.empty()) return std::nullopt;
  try {
    return complete(preset_values(tasks, info, "paper", strategy));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The error in the row of an invalid setting; the row shows the assignment itself.
std::string row_text(const Error& error) {
  std::string text = error.text();
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Several values where one belongs: the text of the row, and why a study cannot use them, or "".
struct SweptRow {
  std::string text, problem;
};

SweptRow swept_row(const Setting& row) {
  const std::vector<std::string> values = swept_values(row);
  if (values.empty()) return {};
  const std::string twice = value_given_twice(values);
  if (twice.empty()) return {"Several values: start a study, one run per value", ""};
  const std::string problem = fmt::format("{} appears twice; give each value once", twice);
  return {problem, fmt::format("{}: {}", row.title, problem)};
}

}  // namespace

bool is_of_machine(const std::string& key) {
  return key == "device" || key == "threads" || key == "data";
}

std::vector<Setting> setting_table(const RunConfig& config) {
  const TaskInfo info = config.tasks->make(config.task, options_without_data(config))->info();
  return table_of(config, complete(preset_values(config.tasks, info, config.preset, config.strategy)),
                  paper_values(config.tasks, info, config.strategy));
}

struct Draft::Impl {
  Catalog tasks;
  std::string task, preset = "quick", strategy = "pairs", data;
  std::string device = "auto";  // from the window's settings, as are the threads
  std::int64_t threads = 0;
  std::filesystem::path runs_folder;
  TaskInfo info;                                                 // with the task's default targets
  std::vector<TargetTick> choosable;                             // the possible targets, and which are on
  std::vector<std::pair<std::string, std::string>> assignments;  // key, value as typed
  std::vector<Setting> settings;
  RunConfig config;
  std::string error, study_error, name, name_error;
  bool named = false;
  std::uint64_t version = 0;

  void take(const Task& own) {
    info = own.info();
    for (const std::string& name : choosable_targets(own)) {
      const auto called = [&](const auto& one) { return one.name == name; };
      const auto target = std::ranges::find_if(info.targets, called);
      choosable.push_back({name, target != info.targets.end() ? target->title()
                                                              : std::ranges::find_if(info.nuisances, called)->title()});
    }
  }

  // The task with the chosen targets and budget of simulations; the default one if these are invalid.
  TaskInfo chosen_info() const {
    try {
      RunConfig own;
      own.tasks = tasks;
      own.task = task;
      bool any = false;
      for (const auto& [key, value] : assignments)
        if (key == kTaskTargets || key == kTaskSimulations) {
          set_field(fields(own), key + "=" + value);
          any = true;
        }
      if (any) return tasks->make(task, {"", own.task_settings})->info();
    } catch (const Error&) {
      // The reason is shown next to the setting.
    }
    return info;
  }

  // The defaults of a run.
  RunConfig usual() const {
    RunConfig config = complete(preset_values(tasks, chosen_info(), preset, strategy));
    config.device = device;
    config.threads = threads;
    return config;
  }

  bool assigned(std::string_view key) const {
    return std::ranges::any_of(assignments, [&](const auto& assignment) { return assignment.first == key; });
  }

  void tick_targets() {
    if (choosable.empty()) return;
    const TaskInfo now = chosen_info();
    for (TargetTick& one : choosable)
      one.on = std::ranges::any_of(now.targets, [&](const Target& target) { return target.name == one.name; });
  }

  void rebuild() {
    ++version;
    tick_targets();
    error.clear();
    study_error.clear();
    const RunConfig base = usual();
    RunConfig applied = base;
    std::vector<std::string> good = {"device=" + device, fmt::format("threads={}", threads)};
    std::map<std::string, std::string> errors;
    std::map<std::string, SweptRow> sweeps;
    for (const auto& [key, value] : assignments) {
      const std::string assignment = key + "=" + value;
      try {
        set_field(fields(applied), assignment);
        good.push_back(assignment);
      } catch (const Error& wrong) {
        errors[key] = row_text(wrong);
      }
    }
    // Settings of another kind are kept until it is chosen again.
    std::erase_if(good, [&](const std::string& one) { return !unread_because(applied, assigned_key(one)).empty(); });
    std::optional<Error> whole;
    try {
      config = load_preset(tasks, info, preset, strategy, good);
      applied = config;
    } catch (const Error& wrong) {
      whole = wrong;
      config = base;
    }
    if (config.data.empty()) config.data = data;
    settings = table_of(applied, base, paper_values(tasks, info, strategy));
    for (Setting& row : settings) {
      for (const auto& [key, value] : assignments)
        if (key == row.key && (errors.contains(key) || row.kind != SettingKind::choice)) row.value = value;
      if (const auto wrong = errors.find(row.key); wrong != errors.end()) {
        row.changed = true;
        const SweptRow swept = swept_row(row);
        row.error = swept.text.empty() ? wrong->second : swept.text;
        if (!swept.text.empty()) sweeps[row.key] = {fmt::format("{}: {}", row.title, row.error), swept.problem};
      } else if (whole && whole->is_about(row.key)) {
        row.error = whole->what();
      }
    }
    for (const auto& [key, value] : assignments) {
      const auto wrong = errors.find(key);
      if (wrong == errors.end()) continue;
      const auto swept = sweeps.find(key);
      if (error.empty()) error = swept == sweeps.end() ? wrong->second : swept->second.text;
      if (study_error.empty()) study_error = swept == sweeps.end() ? wrong->second : swept->second.problem;
    }
    if (whole && error.empty()) error = whole->what();
    if (whole && study_error.empty()) study_error = whole->what();
  }

  // An assignment of the preset's own value is dropped.
  void drop_idle() {
    RunConfig base = usual();
    const std::vector<Field> before = fields(base);
    std::erase_if(assignments, [&](const auto& assignment) {
      RunConfig changed = base;
      const std::vector<Field> after = fields(changed);
      try {
        set_field(after, assignment.first + "=" + assignment.second);
      } catch (const Error&) {
        return false;
      }
      for (std::size_t i = 0; i < after.size(); ++i)
        if (field_text(after[i]) != field_text(before[i])) return false;
      return true;
    });
  }

  void check_name() {
    name_error.clear();
    std::error_code code;
    if (name.empty() || name == "." || name == "..")
      name_error = "The run needs a name: it becomes its folder's";
    else if (name.find('/') != name.npos || name.find('\0') != name.npos)
      name_error = "A run's name must not hold a slash: it becomes its folder's";
    else if (name.size() > 120)
      name_error = "The name is too long for a folder; shorten it";
    else if (std::filesystem::exists(runs_folder / name, code))
      name_error = fmt::format("There is a run named {} already; choose another name", name);
  }
};

Draft::Draft(const Catalog& tasks, std::string task, std::filesystem::path runs_folder, std::string data_folder)
    : impl_(std::make_unique<Impl>()) {
  impl_->tasks = tasks;
  impl_->take(*tasks->make(task));
  impl_->task = std::move(task);
  impl_->runs_folder = std::move(runs_folder);
  impl_->data = std::move(data_folder);
  impl_->rebuild();
  refresh_name();
}

Draft::Draft(const Catalog& tasks, const RunConfig& config, std::filesystem::path runs_folder, std::string data_folder)
    : impl_(std::make_unique<Impl>()) {
  impl_->tasks = tasks;
  impl_->task = config.task;
  impl_->preset = config.preset;
  impl_->strategy = config.strategy;
  impl_->data = std::move(data_folder);
  impl_->runs_folder = std::move(runs_folder);
  // A new run of a custom task uses its file as it is open, not the run's copy.
  TaskOptions options = options_without_data(config);
  if (!config.task_file.empty()) options.file.clear();
  const std::string targets = targeted(options.settings).targets;
  if (!targets.empty()) options.settings = targeted(options.settings).own;
  impl_->take(*tasks->make(config.task, options));
  if (!targets.empty()) impl_->assignments.emplace_back(kTaskTargets, targets);
  RunConfig wanted = config;
  RunConfig base = complete(preset_values(tasks, impl_->chosen_info(), config.preset, config.strategy));
  const std::vector<Field> after = fields(wanted), before = fields(base);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string& key = after[i].key;
    // Its device and its note belong to that run.
    const bool own = key == "device" || key == "data" || key == "note" || key == kTaskTargets;
    if (!own && !hidden(key) && unread_because(wanted, key).empty() && field_text(after[i]) != field_text(before[i]))
      impl_->assignments.emplace_back(key, plain(after[i]));
  }
  impl_->rebuild();
  refresh_name();
}

Draft::~Draft() = default;
Draft::Draft(Draft&&) noexcept = default;
Draft& Draft::operator=(Draft&&) noexcept = default;

bool Draft::set_places(const std::filesystem::path& runs_folder, const std::string& data_folder) {
  if (runs_folder == impl_->runs_folder && data_folder == impl_->data) return false;
  impl_->runs_folder = runs_folder;
  impl_->data = data_folder;
  if (impl_->named)
    impl_->check_name();
  else
    refresh_name();
  impl_->rebuild();
  return true;
}

bool Draft::set_machine(const std::string& device, std::int64_t threads) {
  if (device == impl_->device && threads == impl_->threads) return false;
  impl_->device = device;
  impl_->threads = threads;
  impl_->rebuild();
  return true;
}

const std::string& Draft::task() const {
  return impl_->task;
}
const std::string& Draft::preset() const {
  return impl_->preset;
}
const std::string& Draft::strategy() const {
  return impl_->strategy;
}

void Draft::set_preset(const std::string& preset) {
  preset_values(impl_->tasks, impl_->info, preset, impl_->strategy);  // throws if there is none
  impl_->preset = preset;
  impl_->drop_idle();
  impl_->rebuild();
}

void Draft::set_strategy(const std::string& strategy) {
  preset_values(impl_->tasks, impl_->info, impl_->preset, strategy);
  impl_->strategy = strategy;
  impl_->drop_idle();
  impl_->rebuild();
}

void Draft::set(std::string_view key, std::string_view value) {
  PAIRS_CHECK(
      std::any_of(impl_->settings.begin(), impl_->settings.end(), [&](const Setting& s) { return s.key == key; }),
      "There is no setting {}", key);
  std::erase_if(impl_->assignments, [&](const auto& assignment) { return assignment.first == key; });
  std::string text(value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  impl_->assignments.emplace_back(key, std::move(text));
  impl_->drop_idle();
  impl_->rebuild();
}

void Draft::reset(std::string_view key) {
  std::erase_if(impl_->assignments, [&](const auto& assignment) { return assignment.first == key; });
  impl_->rebuild();
}

void Draft::reset_all() {
  impl_->assignments.clear();
  impl_->rebuild();
}

const std::vector<TargetTick>& Draft::targets() const {
  return impl_->choosable;
}

void Draft::set_target(const std::string& name, bool on) {
  std::string chosen, own;
  for (const TargetTick& one : targets())
    if (one.name == name ? on : one.on) chosen += (chosen.empty() ? "" : ",") + one.name;
  for (const Target& target : impl_->info.targets) own += (own.empty() ? "" : ",") + target.name;
  if (chosen == own)
    reset(kTaskTargets);
  else if (!chosen.empty())
    set(kTaskTargets, chosen);
}

const std::vector<Setting>& Draft::settings() const {
  return impl_->settings;
}

const Setting& Draft::setting(std::string_view key) const {
  for (const Setting& row : impl_->settings)
    if (row.key == key) return row;
  fail("There is no setting {}", key);
}

int Draft::changes() const {
  return static_cast<int>(
      std::count_if(impl_->settings.begin(), impl_->settings.end(), [](const Setting& s) { return s.changed; }));
}

const std::string& Draft::error() const {
  return impl_->error;
}
const std::string& Draft::study_error() const {
  return impl_->study_error;
}

std::vector<Setting> Draft::swept() const {
  std::vector<Setting> all;
  for (const Setting& row : impl_->settings)
    if (!row.error.empty() && !swept_values(row).empty()) all.push_back(row);
  return all;
}

const std::string& Draft::name() const {
  return impl_->name;
}

void Draft::set_name(std::string name) {
  impl_->name = std::move(name);
  impl_->named = true;
  if (impl_->name.empty()) refresh_name();
  impl_->check_name();
}

const std::string& Draft::name_error() const {
  return impl_->name_error;
}

std::filesystem::path Draft::folder() const {
  return impl_->runs_folder / impl_->name;
}

void Draft::refresh_name() {
  impl_->name = new_run_name(impl_->task, impl_->runs_folder);
  impl_->named = false;
  impl_->name_error.clear();
}

void Draft::renew_name() {
  if (!impl_->named) refresh_name();
}

bool Draft::leave_taken_name() {
  std::error_code error;
  if (impl_->named || !std::filesystem::exists(folder(), error)) return false;
  refresh_name();
  return true;
}

std::uint64_t Draft::version() const {
  return impl_->version;
}
const RunConfig& Draft::config() const {
  return impl_->config;
}

std::string Draft::batch_command() const {
  NewRun run;
  run.task = impl_->task;
  run.preset = impl_->preset;
  run.strategy = impl_->strategy;
  std::string seed, device;
  for (const auto& [key, value] : impl_->assignments) {
    if (!unread_because(impl_->config, key).empty()) continue;
    if (key == "device")
      device = value;
    else if (key == "seed" && !value.empty() && value.find_first_not_of("0123456789") == value.npos &&
             value.size() < 18)
      run.seed = std::stoll(value);
    else
      run.set.push_back(key + "=" + value);
  }
  run.device = device;
  if (!impl_->assigned("device") && impl_->device != "auto") run.device = impl_->device;
  if (!impl_->assigned("threads") && impl_->threads > 0) run.threads = impl_->threads;
  if (setting("data").value.empty()) run.data = impl_->data;
  return run_command(*impl_->tasks, run, folder());
}

const std::vector<Choice>& preset_choices() {
  static const std::vector<Choice> all = {
      {"quick", "Quick", "Minutes on two cores: small networks and budgets."},
      {"small", "Small", "At most an hour on two cores: one head for every N."},
      {"paper", "Paper", "The paper's values: for a GPU."},
  };
  return all;
}

const std::vector<Choice>& strategy_choices() {
  static const std::vector<Choice> all = [] {
    const std::map<std::string, std::string> texts = {
        {"pairs", "The embedder sees sets of one and two: as informative as larger sets, at the least cost."},
        {"n1", "The embedder sees single observations: blind to what only shows between two."},
        {"n1-5", "The embedder sees sets of one to five: between pairs and one to ten."},
        {"n1-10", "The embedder sees sets of one to ten: more expensive, and no better where pairs suffice."},
        {"e2e", "Embedder and head are trained together at one large N alone: no stages 2 and 3."},
        {"gaussian", "A point by regression on sets of one and two, its spread fitted for each N: no density."},
    };
    std::vector<Choice> choices;
    for (const Strategy& s : pairs::strategies())
      choices.push_back({s.name, s.title, texts.contains(s.name) ? texts.at(s.name) : ""});
    return choices;
  }();
  return all;
}

}  // namespace pairs::model
