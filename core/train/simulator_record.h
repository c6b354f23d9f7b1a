#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/task.h"
#include "core/train/stages.h"

namespace pairs {

// In a run's folder: what its simulator drew when its training began, and what those did that came before it.
inline constexpr const char* kSimulatorFile = "simulator.json";

// Records, when a run begins, what its task's simulator draws for a few fixed sets (Task::probe), and tells later
// whether the program still draws the same: half a training on another model would be no training on either. Tasks
// without a program of their own are left alone.

// A sentence on how the simulator answers otherwise than when the training of this run began; "" where it does not, or
// where nothing was recorded. Differences in the last digits, which other machines and versions of libraries make, are
// none. Starts the program; `stop` is asked while it is waited for.
std::string changed_simulator(const std::filesystem::path& run, const Task& task,
                              const std::function<bool()>& stop = {});

// Records the simulator of a run that begins. Of one that goes on: throws Error where it has changed, unless that was
// accepted: then the new one is recorded beside the former, and the monitor told a warning.
void record_simulator(const std::filesystem::path& run, const Task& task, Monitor& monitor);
// Has the next record_simulator() of the run accept another simulator.
void accept_simulator(const std::filesystem::path& run);

}  // namespace pairs
