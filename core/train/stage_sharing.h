#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/train/run.h"

namespace pairs {

// The settings that decide what a run has at the end of a stage (of stage 1 the estimator, of stage 2 the aggregates,
// of stage 3 the weights): two runs on the same data share the stage when these texts are the same.
std::string deciding_settings(const RunConfig& config, Stage stage);

// Gives a run that has done nothing yet the stages that another has finished and that both share, as if it had done
// them itself: stage 1's estimator, stage 2's aggregates, and what the log tells of them. The aggregates are the same
// file where the disk can link it. Returns the last stage taken; none when there is nothing to take. Throws Error; a
// run that was left half-way through this is given them again.
std::optional<Stage> take_stages(const Tasks& tasks, const std::filesystem::path& from,
                                 const std::filesystem::path& to);

// Makes `to` a second name of the file where the disk can, else a copy; in place of what stood there.
void link_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pairs
