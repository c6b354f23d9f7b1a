#include "tasks/catalog.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/budget/own_settings.h"
#include "tasks/own/own_presets.h"
#include "tasks/own/own_tasks.h"
#include "tasks/parts/chosen_targets.h"

namespace pairs {

TaskCatalog::TaskCatalog(std::vector<TaskEntry> entries, std::vector<LeftOutTask> left_out)
    : entries_(std::move(entries)), left_out_(std::move(left_out)), own_(std::make_unique<own::OwnTasks>(names())) {
  for (const TaskEntry& entry : entries_)
    if (entry.data) data_sets_.push_back(*entry.data);
}

TaskCatalog::~TaskCatalog() = default;

const TaskEntry* TaskCatalog::find(const std::string& name) const {
  for (const TaskEntry& entry : entries_)
    if (name == entry.name) return &entry;
  return nullptr;
}

std::vector<std::string> TaskCatalog::names() const {
  std::vector<std::string> names;
  for (const TaskEntry& entry : entries_) names.push_back(entry.name);
  return names;
}

namespace {

std::int64_t simulations_of(const TaskSettings& settings) {
  return targeted(settings).own.as<own::OwnSettings>().simulations;
}

}  // namespace

std::shared_ptr<const Task> TaskCatalog::make(const std::string& name, const TaskOptions& options) const {
  const TaskEntry* const entry = find(name);
  auto own = entry ? nullptr : own_->make(name, options.file, simulations_of(options.settings));
  if (entry || own) {
    PAIRS_CHECK(options.settings.empty() || !entry || !entry->settings.empty(),
                "The task {} has no settings, but was given some of another task", name);
    return entry ? entry->make(options) : with_targets(own, targeted(options.settings).targets);
  }
  for (const LeftOutTask& left : left_out_)
    if (name == left.name) fail_usage("The task {} was left out of this build: {}", name, left.why);
  std::vector<std::string> known = names();
  for (const std::string& opened : own_names()) known.push_back(opened);
  const std::string near = nearest(name, known);
  fail_usage("There is no task \"{}\"{}; the tasks are {}", name,
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(known, ", "));
}

TaskSettings TaskCatalog::default_settings(const std::string& name) const {
  const TaskEntry* entry = find(name);
  if (entry) return entry->settings;
  const std::vector<std::string> own = own_names();
  if (std::find(own.begin(), own.end(), name) == own.end()) return {};
  return own_->simulates(name) ? TargetedSettings{own::OwnSettings(), ""} : TargetedSettings();
}

const DataSet* TaskCatalog::data_set_of(const std::string& task) const {
  for (const DataSet& set : data_sets_)
    if (set.task == task) return &set;
  return nullptr;
}

std::vector<SelfCheck> TaskCatalog::self_checks() const {
  std::vector<SelfCheck> all;
  for (const TaskEntry& entry : entries_) all.insert(all.end(), entry.checks.begin(), entry.checks.end());
  return all;
}

std::string TaskCatalog::open(const std::filesystem::path& file) {
  return own_->open(file);
}

std::string TaskCatalog::recorded(const std::filesystem::path& file) const {
  return own_->recorded_text(file);
}

std::string TaskCatalog::changed(const std::filesystem::path& copy) const {
  return own::changed_since(copy);
}

std::string TaskCatalog::preset(const TaskInfo& task, const std::string& preset) const {
  return own::preset_text(task, preset);
}

std::vector<std::string> TaskCatalog::own_names() const {
  return own_->names();
}

TaskDescription TaskCatalog::describe(const std::filesystem::path& file) const {
  return own_->describe(file);
}

TaskDescription TaskCatalog::describe_text(const std::string& text, const std::filesystem::path& file) const {
  return own_->describe_text(text, file);
}

bool TaskCatalog::file_changed(const std::string& name) const {
  return own_->changed_since_opened(name);
}

void TaskCatalog::renew(const std::filesystem::path& file) {
  own_->renew(file);
}

}  // namespace pairs
