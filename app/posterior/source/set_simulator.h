#pragma once

#include <memory>
#include <string>

#include "core/train/run/run.h"

namespace pairs {

// Why no sets can be simulated for a run at parameters that are to be chosen, a clause: "its sets are read from files,
// and …"; "" if they can. Stored sets need the run's learned likelihood for it.
std::string no_simulator(const LoadedRun& run);

// The task whose sets are simulated for a run: its own, or where sets are stored, that of the learned likelihood
// (core/likelihood/likelihood_task.h). Throws Error where no_simulator states why not.
std::shared_ptr<const Task> set_simulator(const LoadedRun& run);

// What to know of a result that rests on sets of a learned likelihood, a sentence.
inline constexpr const char* kLikelihoodSets =
    "The sets are simulated by the learned likelihood, as those of the task are stored; if it is inaccurate, its sets "
    "differ from real ones.";

}  // namespace pairs
