#include "core/train/run/ensemble_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/ensemble.h"
#include "core/train/run/cost.h"
#include "core/train/run/simulator_record.h"
#include "core/train/settings/ensemble_width.h"
#include "core/train/settings/unread.h"

namespace pairs {
namespace {

// The content of a file in the run's folder; "" if it has none.
std::string text_of(const LoadedRun& run, const char* file) {
  const std::filesystem::path path = run.folder / file;
  return std::filesystem::exists(path) ? read_file(path) : "";
}

std::vector<std::string> target_names(const LoadedRun& run) {
  std::vector<std::string> names;
  for (const Target& target : run.task->info().targets) names.push_back(target.name);
  return names;
}

// The first setting that affects weights and differs between two runs, except names of preset and file: "KEY = VALUE
// and VALUE"; "" if there is none.
std::string other_setting(RunConfig a, RunConfig b) {
  const std::vector<Field> here = fields(a), there = fields(b);
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    const std::string& key = here[i].key;
    const bool read = unread_because(a, key).empty() || unread_because(b, key).empty();
    if (const std::string own = field_text(here[i]), other = field_text(there[i]);
        own != other && read && decides_weights(key) && key != "preset" && key != "task_file")
      return fmt::format("{} = {} and {}", key, own, other);
  }
  return "";
}

// How two runs differ so that they infer different posteriors; "" if they do not.
std::string difference(const LoadedRun& a, const LoadedRun& b) {
  const auto unlike = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    return of_a == of_b
               ? ""
               : fmt::format("{} has the {} {} and {} has {}", a.name, what, printable(of_a), b.name, printable(of_b));
  };
  const auto named = [](const LoadedRun& run) { return fmt::format("{}", fmt::join(target_names(run), ", ")); };
  std::string text = unlike("task", a.config.task, b.config.task);
  if (text.empty()) text = unlike("targets", named(a), named(b));
  if (text.empty()) text = unlike("strategy", a.config.strategy, b.config.strategy);
  if (text.empty()) text = unlike("data", a.estimator->data_source(), b.estimator->data_source());
  if (!text.empty()) return text;
  if (a.finetuned != b.finetuned)
    return fmt::format("{} is finetuned and {} is only pretrained", (a.finetuned ? a : b).name,
                       (a.finetuned ? b : a).name);
  if (!(a.config.task_settings == b.config.task_settings) || text_of(a, run_file::task) != text_of(b, run_file::task))
    return fmt::format("{} and {} have different settings of their task", a.name, b.name);
  if (text_of(a, kSimulatorFile) != text_of(b, kSimulatorFile))
    return fmt::format("{} and {} were trained with different simulators", a.name, b.name);
  const std::string setting = other_setting(a.config, b.config);
  return setting.empty() ? "" : fmt::format("{} and {} have {}", a.name, b.name, setting);
}

std::vector<LoadedRun> load_members(const Tasks& tasks, const std::vector<std::string>& runs, const std::string& data) {
  std::vector<LoadedRun> loaded;
  std::vector<std::string> weights;
  for (const std::string& run : runs) {
    loaded.push_back(load_run(tasks, run, data, "cpu"));
    const std::string own = weights_checksum(loaded.back());
    if (std::find(weights.begin(), weights.end(), own) != weights.end())
      fail_usage("{} has the weights of a run that was named before it; name each run once", printable(run, 300));
    weights.push_back(own);
    if (std::string why = difference(loaded.front(), loaded.back()); !why.empty())
      fail_usage("These runs cannot be averaged: {}", why);
  }
  return loaded;
}

std::vector<EnsembleMember> listed(const std::vector<LoadedRun>& runs) {
  std::vector<EnsembleMember> members;
  for (const LoadedRun& run : runs)
    members.push_back({run.folder.lexically_normal().filename().empty()
                           ? run.name
                           : run.folder.lexically_normal().filename().string(),
                       run.config.seed, weights_checksum(run)});
  return members;
}

}  // namespace

Event averaged_from(const std::vector<LoadedRun>& runs) {
  Event event;
  event.type = EventType::started_from;
  event.values["from"] = fmt::format("the mean of {}", counted(runs.size(), "run"));
  double gflop = 0, with_cache = 0;
  for (const LoadedRun& run : runs) {
    const RunCost spent = cost_of(run);
    if (!spent.known) return event;
    gflop += spent.cost.paper();
    with_cache += spent.cost.with_cache();
  }
  event.values["gflop"] = gflop;
  event.values["gflop_with_cache"] = with_cache;
  return event;
}

std::filesystem::path create_ensemble(const Tasks& tasks, const std::vector<std::string>& runs,
                                      const std::filesystem::path& wanted, const std::string& data, bool calibrated,
                                      const Preparation& preparation) {
  if (std::error_code code; !wanted.empty() && std::filesystem::exists(wanted / run_file::config, code))
    fail_usage("{} already holds a run; choose another folder", printable(wanted.string(), 300));
  if (!wanted.empty()) check_new_run(wanted);
  if (runs.size() < 2) fail_usage("An ensemble is made of two runs or more; name them all");
  const std::vector<LoadedRun> members = load_members(tasks, runs, data);
  const LoadedRun& first = members.front();
  RunConfig config = first.config;
  config.ensemble = listed(members);
  config.note.clear();
  std::vector<std::shared_ptr<Estimator>> estimators;
  for (const LoadedRun& run : members) estimators.push_back(run.estimator);
  const double width = calibrated ? fitted_width(estimators, config, preparation) : 1;
  const Ensemble ensemble(std::move(estimators), width);
  std::error_code error;
  const bool there = !wanted.empty() && std::filesystem::exists(wanted, error);
  const std::filesystem::path folder = make_run_folder(config, wanted);
  const FolderLock lock(folder);
  if (!wanted.empty()) check_new_run(folder);
  UnmadeRun unmade(folder, there);
  for (const char* file : {run_file::task, run_file::stored, kSimulatorFile})
    if (const std::string text = text_of(first, file); !text.empty()) write_file(folder / file, text);
  const bool last = first.finetuned && strategy(config.strategy).stages_2_and_3;
  append_event(folder / run_file::events, averaged_from(members));
  save_ensemble(ensemble, folder / (first.finetuned ? run_file::estimator : run_file::pretrained),
                {{"stage", stage_name(last ? Stage::finetune : Stage::pretrain)},
                 {"training_settings", training_settings(config)}});
  write_file(folder / run_file::config, write_run_toml(config, numerics_fingerprint(torch::kCPU)));
  unmade.keep();
  return folder;
}

}  // namespace pairs
