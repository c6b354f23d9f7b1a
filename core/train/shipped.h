#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/task_library.h"

namespace pairs {

// Weights that came with the program: a run folder in assets/weights called as its task, or TASK-NAME where a task has
// several, for other kinds of data or by another strategy.
struct ShippedWeights {
  std::filesystem::path folder;
  std::string data;  // what they were trained on, as the estimator's file records it
};

// All weights of a task, by name. Throws Error when one of them is damaged.
std::vector<ShippedWeights> shipped_weights(const Tasks& tasks, const std::string& task);
// Whether there are any; never throws.
bool has_shipped_weights(const Tasks& tasks, const std::string& task);

// The folder of those that were trained on what the task draws from with the data folder `data` ("": with none), else
// of the first by name, of which a client tells that they know other data; none when none came. Throws Error when
// `data` does not hold what the task needs.
std::optional<std::filesystem::path> fitting_weights(const Tasks& tasks, const std::string& task,
                                                     const std::string& data);
// The folders of all that were trained on the data of those, by name, those first.
std::vector<std::filesystem::path> all_fitting_weights(const Tasks& tasks, const std::string& task,
                                                       const std::string& data);

// What lists call the shipped weights in a folder: kShippedName, or where they are not the first of their data
// "Shipped, n1-10" of the folder TASK-n1-10.
std::string shipped_name(const Tasks& tasks, const std::filesystem::path& folder);

}  // namespace pairs
