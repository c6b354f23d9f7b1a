#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/run/stage_sharing.h"
#include "core/train/settings/config.h"
#include "core/train/settings/config_keys.h"
#include "core/train/settings/unread.h"
#include "core/version.h"

namespace pairs {
namespace {

constexpr std::uint64_t kLargestConfig = 1u << 20;

// Adds the file to the usage error that `check` throws.
template <class Check>
void in_file(const std::filesystem::path& file, Check&& check) {
  try {
    check();
  } catch (const Error& error) {
    throw prefixed(printable(file.string(), 300), error);
  }
}

// Reads a configuration of this task, and also `more`; returns the keys in the text.
std::vector<std::string> read_recorded(std::string_view text, const std::string& task, RunConfig& config,
                                       const std::vector<Field>& more, const std::string& where) {
  config.task = task;
  std::vector<Field> all = fields(config);
  all.insert(all.end(), more.begin(), more.end());
  return read_toml(text, all, where);
}

// The table [ensemble] of run.toml, and the run that its lists describe.
struct EnsembleTable {
  std::string runs, weights;
  std::vector<std::int64_t> seeds;
  std::vector<Field> fields() {
    return {{"ensemble.runs", &runs, "Runs that are averaged, one per line"},
            {"ensemble.seeds", &seeds, "Their seeds"},
            {"ensemble.weights", &weights, "Checksums of their weights, in their order"}};
  }
};

std::vector<std::string> parts(const std::string& text, char between) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) out.push_back(part);
  return out;
}

EnsembleTable ensemble_table(const std::vector<EnsembleMember>& members) {
  EnsembleTable table;
  std::vector<std::string> runs, weights;
  for (const EnsembleMember& one : members) {
    runs.push_back(one.run);
    table.seeds.push_back(one.seed);
    weights.push_back(one.weights);
  }
  table.runs = fmt::format("{}", fmt::join(runs, "\n"));
  table.weights = fmt::format("{}", fmt::join(weights, " "));
  return table;
}

std::vector<EnsembleMember> ensemble_of(const EnsembleTable& table, const std::string& where) {
  const std::vector<std::string> runs = parts(table.runs, '\n'), weights = parts(table.weights, ' ');
  if (runs.size() != table.seeds.size() || weights.size() != table.seeds.size() || runs.size() == 1)
    fail_usage(ErrorPlace{where},
               "the table [ensemble] does not list two runs or more, each with its seed and weights");
  std::vector<EnsembleMember> members;
  for (std::size_t k = 0; k < runs.size(); ++k) members.push_back({runs[k], table.seeds[k], weights[k]});
  return members;
}

// Whether a setting affects, together with the seed, a run's result at the end of a stage. A task's folder may have
// moved.
bool decides(const std::string& key, Stage stage) {
  if (key == "task_file" || (key != "seed" && !decides_weights(key))) return false;
  if (stage == Stage::pretrain) return !key.starts_with("cache.") && !key.starts_with("finetune.");
  // The sets of stage 2 depend on how stage 3 draws their sizes.
  if (stage == Stage::cache) return !key.starts_with("finetune.") || key == "finetune.size_distribution";
  return true;
}

}  // namespace

std::string deciding_settings(const RunConfig& config, Stage stage) {
  RunConfig copy = config;
  std::vector<Field> all = read_fields(copy);
  std::erase_if(all, [&](const Field& field) { return !decides(field.key, stage); });
  return write_toml(all);
}

std::string training_settings(const RunConfig& config) {
  RunConfig copy = config;
  return write_toml(read_fields(copy));
}

namespace {

// A setting with different values in a record and a configuration.
struct OtherSetting {
  std::string key, was, is;
};

// Finds the settings that differ, have an effect and satisfy `wanted`, which takes a key and whether the record holds
// it. For two different tasks the first field, the task's name, differs.
template <class Wanted>
std::vector<OtherSetting> other_settings(const std::string& recorded, const RunConfig& config, const std::string& where,
                                         const Wanted& wanted) {
  RunConfig then, now = config;
  then.tasks = config.tasks;
  const std::vector<std::string> held =
      read_recorded(recorded, find_toml_text(recorded, kTaskName, where), then, {}, where);
  const std::vector<Field> before = fields(then), after = fields(now);
  std::vector<OtherSetting> found;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const std::string& key = before[i].key;
    const bool there = std::find(held.begin(), held.end(), key) != held.end();
    if (std::string was = field_text(before[i]), is = field_text(after[i]);
        was != is && wanted(key, there) && (unread_because(then, key).empty() || unread_because(now, key).empty()))
      found.push_back({key, std::move(was), std::move(is)});
  }
  return found;
}

}  // namespace

std::string changed_setting(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where) {
  const std::vector<OtherSetting> found =
      other_settings(recorded, config, where, [&](const std::string& key, bool) { return decides(key, stage); });
  if (found.empty()) return "";
  return fmt::format("{} was trained with {} = {}, not {}", where, found[0].key, found[0].was, found[0].is);
}

std::string edited_settings(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where) {
  const std::vector<OtherSetting> found =
      other_settings(recorded, config, where, [&](const std::string& key, bool there) {
        return there && !decides(key, stage) && key != kTaskFile && key != "data";
      });
  std::vector<std::string> texts;
  for (const OtherSetting& one : found) texts.push_back(fmt::format("{} = {}, not {}", one.key, one.was, one.is));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string write_run_toml(const RunConfig& config, const std::string& numerics) {
  RunConfig copy = config;
  std::vector<Field> all = read_fields(copy);
  // An empty text means the same as a missing one.
  RunConfig unset;
  unset.tasks = config.tasks;
  unset.task = config.task;
  const std::vector<Field> usual = fields(unset);
  std::erase_if(all, [&](const Field& field) {
    const auto same = std::find_if(usual.begin(), usual.end(), [&](const Field& one) { return one.key == field.key; });
    const auto* const text = std::get_if<std::string*>(&field.slot);
    const bool may_miss = field.seldom || (text && (*text)->empty());
    return may_miss && same != usual.end() && field_text(*same) == field_text(field);
  });
  EnsembleTable members = ensemble_table(config.ensemble);
  return fmt::format("versions = {{ pairs = \"{}\", numerics = \"{}\", settings = {} }}\n", kVersion, numerics,
                     all.size()) +
         write_toml(all) + (config.ensemble.empty() ? "" : "\n" + write_toml(members.fields()));
}

namespace {

// Refuses incomplete settings: of as many as were written together, only `keys` are left.
void check_complete(RunConfig config, const std::vector<std::string>& keys, std::int64_t written,
                    const std::string& where) {
  const auto there = std::count_if(keys.begin(), keys.end(), [](const std::string& key) {
    return !key.starts_with("versions.") && !key.starts_with("ensemble.");
  });
  if (there >= written) return;
  std::vector<std::string> gone;
  for (const Field& field : read_fields(config)) {
    const auto* const text = std::get_if<std::string*>(&field.slot);
    if (!field.seldom && !(text && (*text)->empty()) && std::find(keys.begin(), keys.end(), field.key) == keys.end())
      gone.push_back(field.key);
  }
  fail_usage(ErrorPlace{where}, "{} of the {} settings that the run was made with are missing{}; restore the file",
             written - there, written, gone.empty() ? "" : fmt::format(" ({})", fmt::join(gone, ", ")));
}

}  // namespace

std::shared_ptr<const Task> make_run_task(const RunConfig& config, const std::filesystem::path& file) {
  std::shared_ptr<const Task> task = config.make_task();
  in_file(file, [&] { validate(config, task->info()); });
  return task;
}

RunConfig read_run_toml(const Tasks& tasks, const std::filesystem::path& file) {
  PAIRS_CHECK(tasks, "{} is read without the tasks of which it is of one", printable(file.string(), 300));
  RunConfig config;
  config.tasks = tasks;
  std::string version, numerics;
  std::int64_t written = 0;
  const std::string where = printable(file.string(), 300);
  const std::string text = read_file(file, kLargestConfig);
  const std::vector<std::string> built_in = tasks->names();
  const std::string task = find_toml_text(text, kTaskName, where);
  const std::string own = find_toml_text(text, kTaskFile, where);
  if (!own.empty()) {
    // Uses the run's copy, so that the weights can be used after the file has changed or is gone.
    const std::filesystem::path copy = file.parent_path() / run_file::task;
    PAIRS_CHECK(std::filesystem::exists(copy),
                "{} is missing, the copy of {} that describes the run's task; restore it",
                printable(copy.string(), 300), printable(own, 300));
    config.task_copy = std::filesystem::absolute(copy).lexically_normal().string();
    const std::string name = tasks->open(config.task_copy);
    PAIRS_CHECK(name == task, "{} is of the task {}, but {} describes {}; restore it", where, printable(task),
                printable(copy.string(), 300), name);
  }
  PAIRS_CHECK(task.empty() || !own.empty() || std::find(built_in.begin(), built_in.end(), task) != built_in.end(),
              "This program has no task \"{}\", which {} names; open the run with a program that has it",
              printable(task), where);
  EnsembleTable members;
  std::vector<Field> more = members.fields();
  more.push_back({"versions.pairs", &version, "Program that made the run"});
  more.push_back({"versions.numerics", &numerics, "What decides bit-identical results"});
  more.push_back({"versions.settings", &written, "How many settings were written"});
  const std::vector<std::string> keys = read_recorded(text, task, config, more, where);
  if (!members.seeds.empty()) config.ensemble = ensemble_of(members, where);
  PAIRS_CHECK(!config.task.empty(), "{} names no task: it is empty or damaged; restore it or start a new run", where);
  check_complete(config, keys, written, where);
  for (const std::string& key : keys)
    if (const std::string why = unread_because(config, key); !why.empty())
      fail_usage(ErrorPlace{where}, "nothing reads {}, since {}; remove it", SettingKey{key}, why);
  in_file(file, [&] { validate(config); });
  return config;
}

}  // namespace pairs
