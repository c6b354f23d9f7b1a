#include "app/model/settings/settings_survey.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/gpu/gpu_libraries_setup.h"
#include "app/gpu/package_index.h"
#include "app/model/hub/settings.h"
#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

std::string named_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The data that replace a task's missing real data.
std::string in_its_place(const TaskCatalog& tasks, const DataSet& set) {
  try {
    return "sets are drawn from " + tasks.make(set.task)->info().data_source;
  } catch (const Error& error) {
    return fmt::format("the task cannot do without: {}", error.what());
  }
}

std::string there_text(const DataSet& set, const FoundData& found) {
  const std::string source = found.source == set.name ? "" : found.source + ": ";
  if (found.training == 0 && found.test == 0) return fmt::format("{}{} not counted yet", source, set.members);
  if (set.account) return fmt::format("{}{} {} found", source, count_text(found.training + found.test), set.members);
  return fmt::format("{}{} training and {} test {}", source, count_text(found.training), count_text(found.test),
                     set.members);
}

DataSetLine line_of(const TaskCatalog& tasks, const DataSet& set, const fs::path& folder) {
  DataSetLine line;
  line.name = set.name;
  line.layout = set.layout;
  try {
    line.task = tasks.make(set.task)->info().title;
    FoundData found = set.find(folder.string());
    line.some = found.missing() < static_cast<std::int64_t>(found.files.size());
    line.usable = found.problem.empty();
    line.countable = line.usable && set.account;
    if (line.usable)
      line.state = there_text(set, found);
    else if (line.some)
      line.state = fmt::format("Cannot be used: {}", found.problem);
    else
      line.state = fmt::format("Not found; {}", in_its_place(tasks, set));
    line.files = std::move(found.files);
  } catch (const std::exception& error) {
    line.state = sentence(error);
  }
  return line;
}

std::vector<DeviceChoice> device_choices() {
  std::vector<DeviceChoice> gpus, all;
  std::string cpu;
  for (const DeviceInfo& device : list_devices()) {
    if (device.name == "cpu")
      cpu = device.description;
    else
      gpus.push_back({device.name, "GPU", device.description, device.usable ? "" : device.reason});
  }
  const std::string none = why_no_gpu();
  all.push_back({"auto", "Auto", none.empty() ? "The first GPU that can be used" : "The CPU: " + none, ""});
  all.push_back({"cpu", "CPU", cpu, ""});
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus.size() == 1)
      gpus[i].name = "cuda";
    else
      gpus[i].title = fmt::format("GPU {}", i);
    all.push_back(std::move(gpus[i]));
  }
  return all;
}

// The folder, or its closest existing parent.
fs::path nearest_there(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  return folder;
}

}  // namespace

std::string runs_folder_problem(const fs::path& folder) {
  const std::string shown = printable(folder.string(), 300);
  if (!folder.is_absolute()) return fmt::format("{} is not a whole path; begin it with / or ~", shown);
  const fs::path there = nearest_there(folder);
  std::error_code error;
  if (!fs::is_directory(there, error))
    return fmt::format("{} is a file and no folder; name another", printable(there.string(), 300));
  if (::access(there.c_str(), R_OK | W_OK | X_OK) != 0)
    return there == folder ? fmt::format("{} may not be written to; name a folder of yours", shown)
                           : fmt::format("{} cannot be made: {} may not be written to; name a folder of yours", shown,
                                         printable(there.string(), 300));
  return "";
}

std::string data_folder_problem(const TaskCatalog& tasks, const fs::path& folder) {
  if (folder.empty()) return "";
  const std::string shown = printable(folder.string(), 300);
  std::error_code error;
  if (!folder.is_absolute()) return fmt::format("{} is not a whole path; begin it with / or ~", shown);
  if (!fs::exists(folder, error)) return fmt::format("There is no folder {}; check the path", shown);
  std::string names;
  for (const DataSet& set : tasks.data_sets()) {
    const FoundData found = set.find(folder.string());
    // If only some files are missing, the page lists them.
    if (found.problem.empty() || found.missing() < static_cast<std::int64_t>(found.files.size())) return "";
    names += (names.empty() ? "" : &set == &tasks.data_sets().back() ? " nor " : ", ") + set.name;
  }
  return fmt::format("{} holds neither {}; what is expected is listed below", shown, names);
}

GpuLibraries survey_gpu_libraries(const std::string& why_not) {
  GpuLibraries found;
  found.wanted = why_not.empty();
  try {
    found.there = gpu::fetched_anything();
    found.needs = gpu::needs().text();
  } catch (const Error& error) {
    found.needs = error.what();
  }
  try {
    found.index = gpu::shown_address(gpu::index_address(""));
  } catch (const Error&) {  // the page asks for one
  }
  return found;
}

SettingsSurvey survey_settings(const TaskCatalog& tasks, const fs::path& runs_folder, const fs::path& data_folder,
                               const SettingsSurvey* earlier) {
  SettingsSurvey survey;
  survey.runs_folder = runs_folder;
  survey.data_folder = data_folder;
  std::error_code error;
  survey.runs_folder_there = fs::is_directory(runs_folder, error);
  survey.runs_problem = runs_folder_problem(fs::absolute(runs_folder, error));
  const fs::space_info space = fs::space(nearest_there(fs::absolute(runs_folder, error)), error);
  if (!error) survey.free_bytes = space.available;
  if (earlier) {
    survey.data = earlier->data;
    survey.devices = earlier->devices;
    return survey;
  }
  for (const DataSet& set : tasks.data_sets()) survey.data.push_back(line_of(tasks, set, data_folder));
  survey.devices = device_choices();
  return survey;
}

Overrides overrides(const std::string& data_in_use, bool data_chosen, bool runs_chosen) {
  Overrides all;
  if (const std::string data = named_variable("PAIRS_DATA"); !data.empty())
    all.data.push_back(data_chosen ? fmt::format("PAIRS_DATA names {}; the folder chosen here goes before it.", data)
                       : data_in_use.empty()
                           ? fmt::format("PAIRS_DATA names {}, which is used again at the next start.", data)
                           : "PAIRS_DATA names it; a folder chosen here goes before that.");
  if (const std::string place = named_variable("XDG_DATA_HOME"); !place.empty() && !runs_chosen)
    if (default_runs_folder().string().starts_with(place))
      all.runs.push_back(fmt::format("XDG_DATA_HOME, {}, decides where it lies while none is chosen.", place));
  if (const std::string visible = named_variable("CUDA_VISIBLE_DEVICES"); !visible.empty())
    all.device.push_back(fmt::format("CUDA_VISIBLE_DEVICES is {}: other GPUs are not seen.", visible));
  if (const std::string threads = named_variable("OMP_NUM_THREADS"); !threads.empty())
    all.threads.push_back(fmt::format(
        "OMP_NUM_THREADS is {}: posteriors take so many until a number is chosen here, trainings take what is set.",
        threads));
  if (const std::string config = named_variable("XDG_CONFIG_HOME"); !config.empty())
    all.file.push_back(fmt::format("XDG_CONFIG_HOME, {}, decides where it lies.", config));
  return all;
}

}  // namespace pairs::model
