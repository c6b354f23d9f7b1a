#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/task.h"
#include "core/train/settings/stages.h"

namespace pairs {

// The file in a run's folder that records the results of its simulator when training began, and those of earlier
// versions.
inline constexpr const char* kSimulatorFile = "simulator.json";

// Records at the start of a run what its task's simulator returns for a few fixed sets (ProbedSimulator::probe), and
// detects later changes of the program: training half on one model and half on another would be valid for neither.
// Tasks without a program of their own are skipped.

// A sentence on how the simulator's results differ from those when the run's training began; "" if they do not, or if
// nothing was recorded. Differences in the last digits, due to other machines and library versions, are ignored. Starts
// the program; `stop` is called while waiting for it.
std::string changed_simulator(const std::filesystem::path& run, const Task& task,
                              const std::function<bool()>& stop = {});

// Records the simulator of a run that begins. For a run that continues, throws Error if the simulator has changed,
// unless the change was accepted: then records the new one in addition to the former, with a warning to the monitor.
void record_simulator(const std::filesystem::path& run, const Task& task, Monitor& monitor);
// Makes the run's next record_simulator() accept a changed simulator.
void accept_simulator(const std::filesystem::path& run);

}  // namespace pairs
