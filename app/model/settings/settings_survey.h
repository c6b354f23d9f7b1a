#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tasks/catalog.h"

namespace pairs::model {

// The files of one data set in the folder of real data.
struct DataSetLine {
  std::string name, task;  // "MNIST"; the title of the task that uses it
  std::string layout;      // its layout, one sentence
  std::vector<FoundData::File> files;
  bool usable = false, some = false;  // some: it is partly present
  std::string state;                  // what is present, or what is missing and replaced: one sentence
  bool countable = false;             // its items can be read one by one
};

// A device to choose from.
struct DeviceChoice {
  std::string name, title;  // as for choose_device; "GPU"
  std::string description;  // model and memory, or what "auto" selects
  std::string blocked;      // why it cannot be chosen, one sentence; else ""
};

// CUDA libraries that a GPU needs and that the program does not contain (app/gpu).
struct GpuLibraries {
  bool wanted = false;  // they would make a GPU usable
  bool there = false;   // at least a part was downloaded
  std::string needs;    // the size of the download, one sentence, or why it is unknown
  std::string index;    // their package index; "" if none is configured
};

// What the disk and the drivers report on the settings.
struct SettingsSurvey {
  std::filesystem::path runs_folder, data_folder;  // the folders that were checked
  std::optional<std::uint64_t> free_bytes;         // on the disk of new runs
  bool runs_folder_there = false;
  std::string runs_problem;  // why no run can be written there; else ""
  std::vector<DataSetLine> data;
  std::vector<DeviceChoice> devices;
};

// Surveys everything; data and devices only without an `earlier` survey. Fast unless a disk or driver hangs.
SettingsSurvey survey_settings(const TaskCatalog& tasks, const std::filesystem::path& runs_folder,
                               const std::filesystem::path& data_folder, const SettingsSurvey* earlier = nullptr);

// Surveys the disk and pip's settings for a GPU's libraries; `why_not`: why_no_gpu_to_add (core/base/gpu/devices.h).
GpuLibraries survey_gpu_libraries(const std::string& why_not);

// Why new runs cannot be written to a folder, which need not exist yet, in one sentence; "" if they can.
std::string runs_folder_problem(const std::filesystem::path& folder);
// Why a folder holds no data set of any task, in one sentence; "" if it holds one or no folder is given.
std::string data_folder_problem(const TaskCatalog& tasks, const std::filesystem::path& folder);

// How environment variables affect the settings, one sentence each. `data_in_use`: the data folder in use while none is
// chosen in the settings, else "".
struct Overrides {
  std::vector<std::string> runs, data, device, threads, file;
};
Overrides overrides(const std::string& data_in_use, bool data_chosen, bool runs_chosen);

}  // namespace pairs::model
