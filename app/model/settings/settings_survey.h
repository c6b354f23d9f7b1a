#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tasks/catalogue.h"

namespace pairs::model {

// What the folder of real data holds of one data set.
struct DataSetLine {
  std::string name, task;  // "MNIST"; the title of the task that draws from it
  std::string layout;      // how it is read, one sentence
  std::vector<FoundData::File> files;
  bool usable = false, some = false;  // some: a part of it is there
  std::string state;                  // what is there, or what is missing and what is drawn from instead: one sentence
  bool countable = false;             // its members can be read one by one
};

// One device that can be chosen.
struct DeviceChoice {
  std::string name, title;  // as choose_device names it; "GPU"
  std::string description;  // model and memory, or what it picks
  std::string blocked;      // why it cannot be chosen, one sentence; "" when it can
};

// CUDA libraries that a GPU needs and this program came without (app/gpu).
struct GpuLibraries {
  bool wanted = false;  // a GPU would become usable by them
  bool there = false;   // they, or a part of them, were fetched
  std::string needs;    // what fetching takes, one sentence; where that cannot be told, why
  std::string index;    // where they come from, "" where nobody names an index
};

// What the disk and the drivers tell of what is set.
struct SettingsSurvey {
  std::filesystem::path runs_folder, data_folder;  // that were looked at
  std::optional<std::uint64_t> free_bytes;         // where runs go
  bool runs_folder_there = false;
  std::string runs_problem;  // why no run can be written there; "" when it can
  std::vector<DataSetLine> data;
  std::vector<DeviceChoice> devices;
};

// Looks at all of it, at data and devices only where there is no earlier look. Quick but for dead disks and drivers.
SettingsSurvey survey_settings(const TaskCatalogue& tasks, const std::filesystem::path& runs_folder,
                               const std::filesystem::path& data_folder, const SettingsSurvey* earlier = nullptr);

// What the disk and pip's settings tell of a GPU's libraries; `why_not`: why_no_gpu_to_add (core/base/devices.h).
GpuLibraries survey_gpu_libraries(const std::string& why_not);

// Why new runs cannot be written into a folder that may have to be made, one sentence; "" when they can.
std::string runs_folder_problem(const std::filesystem::path& folder);
// Why a folder holds no data set of tasks at all, one sentence; "" when it holds one or is none.
std::string data_folder_problem(const TaskCatalogue& tasks, const std::filesystem::path& folder);

// What variables of the environment have to say about the settings, a sentence each. `data_in_use`: the folder of data
// while none is chosen in the settings, "" for none and where one is chosen.
struct Overrides {
  std::vector<std::string> runs, data, device, threads, file;
};
Overrides overrides(const std::string& data_in_use, bool data_chosen, bool runs_chosen);

}  // namespace pairs::model
