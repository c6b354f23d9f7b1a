#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/train/run/run.h"

namespace pairs {

// The settings that determine a run's result at the end of a stage (the estimator of stage 1, the aggregates of stage
// 2, the weights of stage 3): two runs on the same data share the stage if these texts are equal.
std::string deciding_settings(const RunConfig& config, Stage stage);

// Gives a run that has done nothing yet the stages that it shares with another run and that the other has finished, as
// if it had done them itself: stage 1's estimator, stage 2's aggregates, and the log of these stages. The aggregates
// are hard-linked if the disk supports it. Returns the last stage taken; nothing if there is none to take. Throws
// Error; after an interruption the call can be repeated.
std::optional<Stage> take_stages(const Tasks& tasks, const std::filesystem::path& from,
                                 const std::filesystem::path& to);

// Makes `to` a hard link to the file if the disk supports it, else a copy; replaces an existing file.
void link_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pairs
