#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/task_library.h"

namespace pairs {

// Weights that come with the program: a run folder in assets/weights with the name of its task, or TASK-NAME for a task
// with several, which differ in data or strategy.
struct ShippedWeights {
  std::filesystem::path folder;
  std::string data;  // their training data, as recorded in the estimator's file
};

// All weights of a task, by name. Throws Error if one of them is damaged.
std::vector<ShippedWeights> shipped_weights(const Tasks& tasks, const std::string& task);
// Whether a task has shipped weights; never throws.
bool has_shipped_weights(const Tasks& tasks, const std::string& task);

// Returns the folder of the weights that were trained on the data that the task uses with the data folder `data` ("":
// no data folder). If no weights fit, returns the first folder by name; the caller then has to show that these weights
// were trained on other data. Returns nothing if the task has no weights. Throws Error if `data` lacks what the task
// needs.
std::optional<std::filesystem::path> fitting_weights(const Tasks& tasks, const std::string& task,
                                                     const std::string& data);
// The folders of all weights trained on the same data as the fitting ones, which come first; the others by name.
std::vector<std::filesystem::path> all_fitting_weights(const Tasks& tasks, const std::string& task,
                                                       const std::string& data);

// The name of the shipped weights in a folder: kShippedName or, if they are not the first for their data, "Shipped,
// n1-10" for the folder TASK-n1-10.
std::string shipped_name(const Tasks& tasks, const std::filesystem::path& folder);

}  // namespace pairs
