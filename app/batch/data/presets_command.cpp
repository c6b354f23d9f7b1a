#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/batch/parts/command.h"
#include "app/batch/parts/own_task.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "core/train/settings/unread.h"

namespace pairs::batch {
namespace {

struct PresetArguments {
  std::string task, strategy = "pairs";
  OwnTaskOptions own;
};

nlohmann::json slot_value(const Field& field) {
  return std::visit([](auto* value) { return nlohmann::json(*value); }, field.slot);
}

Result show_presets(const PresetArguments& arguments) {
  const std::string task = task_named(arguments.task, arguments.own);
  if (task.empty()) fail_usage("Name a task, or give --task-file; pairs --batch tasks lists the tasks");
  const TaskInfo info = arguments.own.tasks->make(task)->info();
  const std::vector<std::string> names = preset_names();
  std::vector<RunConfig> configs;
  for (const std::string& name : names)
    configs.push_back(load_preset(arguments.own.tasks, info, name, arguments.strategy, {}));
  std::vector<std::vector<Field>> columns;
  for (RunConfig& config : configs) columns.push_back(fields(config));

  Result result;
  result.document = {{"task", info.name}, {"strategy", arguments.strategy}, {"settings", nlohmann::json::array()}};
  std::vector<Table::Column> titles = {{"setting", false}};
  for (const std::string& name : names) titles.push_back({name});
  titles.push_back({"meaning", false});
  Table table(titles);
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    const Field& first = columns[0][i];
    const auto read = [&](const RunConfig& config) { return unread_because(config, first.key).empty(); };
    if (std::none_of(configs.begin(), configs.end(), read)) continue;
    nlohmann::json line = {{"key", first.key}, {"help", first.help}};
    std::vector<std::string> cells = {first.key};
    for (std::size_t p = 0; p < names.size(); ++p) {
      const bool shown = read(configs[p]);
      line[names[p]] = shown ? slot_value(columns[p][i]) : nlohmann::json();
      cells.push_back(shown ? field_text(columns[p][i]) : "–");
    }
    cells.push_back(first.help);
    result.document["settings"].push_back(line);
    table.add(std::move(cells));
  }
  result.text = fmt::format("{}, strategy {}\n\n{}\nChange any with: pairs --batch run {} --set KEY=VALUE\n",
                            info.title, arguments.strategy, table.text(), info.name);
  return result;
}

}  // namespace

Action add_presets(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<PresetArguments>();
  arguments->own.tasks = tasks;
  app.add_option("TASK", arguments->task, "The task");
  add_own_task_options(app, arguments->own);
  app.add_option("--strategy", arguments->strategy, "As in run: it changes some settings")
      ->type_name("NAME")
      ->capture_default_str();
  app.footer(with_task_names("Example:\n  pairs --batch presets {exact}"));
  return [arguments] { return show_presets(*arguments); };
}

}  // namespace pairs::batch
