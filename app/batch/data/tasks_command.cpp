#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "app/batch/parts/command.h"
#include "app/batch/parts/own_task.h"
#include "app/kinds/observation_room.h"
#include "app/kinds/observed.h"
#include "app/kinds/target_room.h"
#include "app/runs/input_text.h"
#include "app/runs/places.h"
#include "app/text/table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"
#include "tasks/parts/chosen_targets.h"

namespace pairs::batch {
namespace {

nlohmann::json target_document(const Target& target) {
  nlohmann::json out = {{"name", target.name}, {"label", target.label}, {"unit", target.unit}, {"range", target.range}};
  if (std::isfinite(target.low)) out["low"] = target.low;
  if (std::isfinite(target.high)) out["high"] = target.high;
  return out;
}

// Further properties of a custom task: its standardization, and its program.
std::string own_text(const TaskCatalog& tasks, const Task& task, nlohmann::json& document) {
  const TaskInfo& info = task.info();
  if (info.file.empty()) return "";
  const TaskDescription said = tasks.describe(info.file);
  // Does not run a program without permission.
  InputScale scale;
  std::string wrong;
  try {
    if (said.agreed) scale = input_scale(task);
  } catch (const Error& error) {
    wrong = sentence(error);  // A task whose simulator fails is listed nevertheless.
  }
  std::string text = wrong.empty() ? input_text(task, scale) : wrong;
  document["standardized"] = standardizes_input(task);
  if (!scale.empty()) {
    document["location"] = scale.location;
    document["scale"] = scale.scale;
  }
  if (!text.empty()) text = "\n     " + text;
  if (said.command.empty()) return text;
  document["command"] = said.command;
  return text + fmt::format("\n  program: {}, in {}", said.command, printable(said.origin.parent_path().string(), 300));
}

Result list_tasks(const OwnTaskOptions& own) {
  Result result;
  result.document = {{"tasks", nlohmann::json::array()}};
  Table table(
      {{"task", false}, {"θ", false}, {"largest N"}, {"x", false}, {"references", false}, {"without --data", false}});
  std::string sentences;
  const std::string data = data_folder("");
  const bool one = !own.file.empty() || own.allow;
  const std::vector<std::string> names = one ? std::vector{task_named("", own)} : own.tasks->names();
  for (const std::string& name : names) {
    const auto task = own.tasks->make(name);
    const TaskInfo& info = task->info();
    std::vector<std::string> nuisances;
    for (const Nuisance& nuisance : info.nuisances) nuisances.push_back(nuisance.name);
    nlohmann::json targets = nlohmann::json::array();
    for (const Target& target : info.targets) targets.push_back(target_document(target));
    nlohmann::json given = nlohmann::json::array();
    for (const Given& one : info.given) given.push_back(one.name);
    nlohmann::json files = nlohmann::json::array();
    for (const FileColumn& one : file_columns(*task))
      files.push_back({{"name", one.from}, {"converts", one.converts()}});
    const ObservationRoom& room = room_of(info);
    const TargetRoom& target_room = target_room_of(info);
    result.document["tasks"].push_back({{"name", name},
                                        {"title", info.title},
                                        {"summary", info.summary},
                                        {"targets", targets},
                                        {"nuisances", nuisances},
                                        {"max_n", info.max_n},
                                        {"kind", room.name()},
                                        {"observation_shape", info.observation_shape},
                                        {"observation_columns", info.observation_columns},
                                        {"file_columns", files},
                                        {"references", task->references()},
                                        {"data", info.data_source},
                                        {"target_kind", target_room.name()},
                                        {"conditions", given}});
    nlohmann::json weights = nlohmann::json::array();
    std::vector<std::string> weights_texts;
    for (const ShippedWeights& one : shipped_weights(own.tasks, name)) {
      const std::string folder = one.folder.filename().string();
      weights.push_back({{"name", folder}, {"data", one.data}});
      weights_texts.push_back(folder == name ? folder : fmt::format("{} ({})", folder, one.data));
    }
    result.document["tasks"].back()["weights"] = weights;
    try {
      if (const auto fitting = fitting_weights(own.tasks, name, data))
        result.document["tasks"].back()["fitting_weights"] = fitting->filename().string();
    } catch (const Error&) {
      // The data folder has nothing for this task, which is reported when it is used.
    }
    result.document["tasks"].back().update(target_room.document(info));
    table.add({name, target_room.columns_text(info), count_text(info.max_n), room.columns_text(info),
               fmt::format("{}", fmt::join(task->references(), ", ")), info.data_source});
    sentences += fmt::format("{}: {}\n  θ: {}\n  ψ: {}\n  x: {}{}\n", info.title, info.summary, info.theta_text,
                             info.psi_text, info.x_text, own_text(*own.tasks, *task, result.document["tasks"].back()));
    const std::vector<std::string> choosable = choosable_targets(*task);
    if (!choosable.empty())
      sentences += fmt::format("  can be inferred (run --targets): {}\n", fmt::join(choosable, ", "));
    result.document["tasks"].back()["choosable_targets"] = choosable;
    if (!one)
      sentences += fmt::format("  shipped weights: {}\n",
                               weights_texts.empty() ? "none" : fmt::format("{}", fmt::join(weights_texts, ", ")));
  }
  for (const LeftOutTask& left : one ? std::vector<LeftOutTask>() : own.tasks->left_out()) {
    result.document["left_out"].push_back({{"name", left.name}, {"why", left.why}});
    sentences += fmt::format("{}: left out of this build: {}\n", left.name, left.why);
  }
  result.text = table.text() + "\n" + sentences;
  return result;
}

}  // namespace

Action add_tasks(CLI::App& app, const Catalog& tasks) {
  const auto own = std::make_shared<OwnTaskOptions>();
  own->tasks = tasks;
  add_own_task_options(app, *own);
  app.footer("Examples:\n  pairs --batch tasks --json\n  pairs --batch tasks --task-file my/task.toml");
  return [own] { return list_tasks(*own); };
}

}  // namespace pairs::batch
