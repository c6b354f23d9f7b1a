#include "app/studies/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/base/fields/table_reader.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/settings/config.h"

namespace pairs {
namespace {

constexpr std::size_t kMostValues = 10000;       // of one sweep
constexpr std::int64_t kMostChainSets = 100000;  // number with chains at one nuisance value

// A value as for `--set`.
std::string value_text(const TableReader& table, const toml::node& node, const std::string& key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const toml::array* list = node.as_array()) {
    std::vector<std::string> elements;
    for (const toml::node& element : *list) elements.push_back(value_text(table, element, key));
    return fmt::format("[{}]", fmt::join(elements, ", "));
  }
  table.refuse(node, fmt::format("'{}' must be a text, a number, true, false or a list of these", table.full(key)));
}

// { from = 1, to = 64, factor = 4 } or { from = 0.1, to = 0.5, step = 0.1 }, including both bounds.
std::vector<std::string> range_values(const toml::table& source, const std::string& name, const std::string& where) {
  TableReader table(source, name, where);
  const auto from = table.number("from"), to = table.number("to"), factor = table.number("factor"),
             step = table.number("step");
  if (!from || !to || factor.has_value() == step.has_value())
    table.refuse_table(
        fmt::format("'{}' must be a list of values, or a range {{ from = 1, to = 64, factor = 4 }} or "
                    "{{ from = 0, to = 8, step = 2 }}",
                    name));
  table.finish();
  if ((factor && !(*factor > 1 && *from > 0)) || (step && !(*step > 0)) || !(*to >= *from))
    table.refuse_table(
        fmt::format("'{}' must grow from 'from' to 'to': 'step' above 0, or 'factor' above 1 from a "
                    "'from' above 0",
                    name));
  const double count = factor ? std::log(*to / *from) / std::log(*factor) : (*to - *from) / *step;
  if (!(count < kMostValues))
    table.refuse_table(fmt::format("'{}' holds more than {} values; raise its step or factor", name, kMostValues));
  const bool whole = std::floor(*from) == *from && std::floor(factor ? *factor : *step) == (factor ? *factor : *step);
  std::vector<std::string> values;
  for (int k = 0; k <= static_cast<int>(std::floor(count + 1e-9)); ++k) {
    const double value = factor ? *from * std::pow(*factor, k) : *from + k * *step;
    values.push_back(whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value));
  }
  return values;
}

Sweep sweep_of(const TableReader& table, const std::string& key, const toml::node& node, const std::string& where) {
  Sweep sweep{key, {}};
  if (const toml::table* range = node.as_table()) {
    sweep.values = range_values(*range, table.full(key), where);
    return sweep;
  }
  const toml::array* list = node.as_array();
  if (!list || list->empty())
    table.refuse(node, fmt::format("'{}' must be a list of values, at least one, or a range", table.full(key)));
  for (const toml::node& element : *list) sweep.values.push_back(value_text(table, element, key));
  for (std::size_t i = 0; i < sweep.values.size(); ++i)
    if (std::count(sweep.values.begin(), sweep.values.end(), sweep.values[i]) > 1)
      table.refuse(node, fmt::format("'{}' holds {} twice; remove one", table.full(key), sweep.values[i]));
  return sweep;
}

bool is_range(const toml::node& node) {
  const toml::table* table = node.as_table();
  return table && (table->contains("from") || table->contains("to") || table->contains("step"));
}

// Every value below a table by its dotted key; a range counts as a value.
void each_value(const toml::table& table, const std::string& prefix,
                const std::function<void(const std::string&, const toml::node&)>& take) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix.empty() ? std::string(name.str()) : prefix + "." + std::string(name.str());
    if (node.is_table() && !is_range(node))
      each_value(*node.as_table(), key, take);
    else
      take(key, node);
  }
}

// Reads a table's settings of runs, which override those in `runs`.
void read_runs(TableReader& table, const std::string& where, StudyRuns& runs) {
  if (const auto name = table.text("name")) runs.name = *name;
  if (const auto tasks = table.texts("tasks")) runs.tasks = *tasks;
  if (const auto strategies = table.texts("strategies")) runs.strategies = *strategies;
  if (const auto planned = table.texts("planned")) runs.planned = *planned;
  if (const auto seeds = table.wholes("seeds")) runs.seeds = *seeds;
  if (const toml::table* set = table.table("set")) {
    const TableReader values(*set, table.full("set"), where);
    each_value(*set, "", [&](const std::string& key, const toml::node& node) {
      std::erase_if(runs.set, [&](const std::string& one) { return assigned_key(one) == key; });
      runs.set.push_back(key + "=" + value_text(values, node, key));
    });
  }
  if (const toml::table* vary = table.table("vary")) {
    const TableReader values(*vary, table.full("vary"), where);
    each_value(*vary, "", [&](const std::string& key, const toml::node& node) {
      std::erase_if(runs.vary, [&](const Sweep& one) { return one.key == key; });
      runs.vary.push_back(sweep_of(values, key, node, where));
    });
  }
}

// Checks that the strategies exist, nothing occurs twice, and no varied setting is also set.
void check_runs(TableReader& table, const StudyRuns& runs) {
  // The line of a key, if it is in this table.
  const auto refuse = [&](const char* key, const std::string& what) {
    if (const toml::node* node = table.find(key)) table.refuse(*node, what);
    table.refuse_table(what);
  };
  if (runs.tasks.empty()) table.refuse_table(fmt::format("'{}' is missing; name the tasks", table.full("tasks")));
  std::set<std::string> seen;
  for (const auto& [key, names] : {std::pair("strategies", &runs.strategies), std::pair("planned", &runs.planned)})
    for (const std::string& name : *names) {
      try {
        strategy(name);
      } catch (const Error& error) {
        refuse(key, error.what());
      }
      if (!seen.insert(name).second) refuse(key, fmt::format("the strategy {} appears twice", name));
    }
  for (const std::string& task : runs.tasks)
    if (std::count(runs.tasks.begin(), runs.tasks.end(), task) > 1)
      refuse("tasks", fmt::format("the task {} appears twice", printable(task)));
  for (const std::int64_t seed : runs.seeds)
    if (std::count(runs.seeds.begin(), runs.seeds.end(), seed) > 1)
      refuse("seeds", fmt::format("the seed {} appears twice", seed));
  for (const Sweep& sweep : runs.vary)
    for (const std::string& one : runs.set)
      if (assigned_key(one) == sweep.key)
        refuse("vary", fmt::format("{} is set and varied; remove one of the two", sweep.key));
}

// The runs at a preset: the settings at the top, overridden by those under the preset's name, overridden by each
// [[runs]].
std::vector<StudyRuns> runs_at(const toml::table& root, const std::string& preset, const StudyRuns& top,
                               const std::string& where) {
  StudyRuns common = top;
  TableReader reader(root, "", where);
  std::vector<const toml::table*> blocks = reader.tables("runs");
  std::string name = "runs";
  if (const toml::table* own = reader.table(preset.c_str())) {
    TableReader table(*own, preset, where);
    read_runs(table, where, common);
    if (own->contains("runs")) {
      blocks = table.tables("runs");
      name = preset + ".runs";
    }
    table.finish();
  }
  if (blocks.empty()) {
    check_runs(reader, common);
    return {common};
  }
  std::vector<StudyRuns> all;
  for (const toml::table* block : blocks) {
    StudyRuns runs = common;
    TableReader table(*block, name, where);
    read_runs(table, where, runs);
    table.finish();
    check_runs(table, runs);
    all.push_back(std::move(runs));
  }
  return all;
}

// A task named by a file, or by its folder, as an absolute path; other names unchanged.
std::string task_file(const std::filesystem::path& extra, const std::string& task) {
  if (!task.ends_with(".toml") && task.find('/') == task.npos) return task;
  std::filesystem::path file = (extra / task).lexically_normal();
  if (file.extension() != ".toml") file /= "task.toml";
  return file.string();
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

Study read_study(const std::filesystem::path& file, const std::vector<std::string>& presets) {
  return parse_study(read_file(file, kMostTomlBytes), file, presets);
}

Study parse_study(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& wanted) {
  const std::string where = printable(file.string(), 300);
  const toml::table root = parse_toml(text, where);
  TableReader top(root, "", where);
  Study study;
  study.file = std::filesystem::absolute(file).lexically_normal();
  study.name = study.file.stem().string();
  if (!is_name(study.name))
    fail_usage("{} names its folder of runs: rename it, with lower-case letters, digits and hyphens alone before .toml",
               where);
  study.title = top.needed_text("title");
  study.note = top.text_or("note", "");
  study.figures = top.texts("figures").value_or(std::vector<std::string>{});
  study.mcmc_sets = top.whole("mcmc", 0, kMostChainSets).value_or(0);
  study.reads = top.texts("reads").value_or(std::vector<std::string>{});
  std::vector<std::string> presets = top.texts("presets").value_or(std::vector<std::string>{"quick"});
  if (!wanted.empty()) presets = wanted;
  StudyRuns common;
  read_runs(top, where, common);
  top.find("runs");
  for (const std::string& preset : preset_names()) {
    top.find(preset.c_str());
    if (root.contains(preset) && !common.tasks.empty()) runs_at(root, preset, common, where);  // reports errors now
  }
  top.finish();
  for (const std::string& name : study.reads)
    if (!is_name(name))
      fail_usage(ErrorPlace{where}, "'reads' names studies, whose folders lie next to this one's, not \"{}\"",
                 printable(name));
  const bool none = !root.contains("tasks") && !root.contains("runs") && !study.reads.empty();
  if (none) return study;
  for (const std::string& preset : presets) {
    const std::vector<std::string> known = preset_names();
    if (std::find(known.begin(), known.end(), preset) == known.end())
      fail_usage(ErrorPlace{where}, "there is no preset \"{}\"; presets are {}", printable(preset),
                 fmt::join(known, ", "));
    study.parts.push_back({preset, runs_at(root, preset, common, where)});
  }
  for (StudyPart& part : study.parts)
    for (StudyRuns& runs : part.runs) {
      if (!runs.name.empty() && !is_name(runs.name))
        fail_usage(ErrorPlace{where}, "the name \"{}\" must hold lower-case letters, digits and hyphens alone",
                   printable(runs.name));
      for (std::string& task : runs.tasks) task = task_file(study.file.parent_path(), task);
    }
  return study;
}

void set_all(Study& study, const std::vector<std::string>& assignments) {
  for (StudyPart& part : study.parts)
    for (StudyRuns& runs : part.runs)
      for (const std::string& one : assignments) {
        const std::string key = assigned_key(one);
        std::erase_if(runs.set, [&](const std::string& other) { return assigned_key(other) == key; });
        std::erase_if(runs.vary, [&](const Sweep& sweep) { return sweep.key == key; });
        runs.set.push_back(one);
      }
}

}  // namespace pairs
