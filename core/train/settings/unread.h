#pragma once

#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/train/settings/config.h"

namespace pairs {

// Why the setting `key` has no effect in this configuration, a clause: "embedder.kind is \"mlp\""; "" if it has one, or
// if there is no such setting.
std::string unread_because(const RunConfig& config, const std::string& key);

// Keeps the assignments "key=value" that have an effect once all of them are made. Throws a usage error for an invalid
// one.
std::vector<std::string> read_assignments(const RunConfig& config, const std::vector<std::string>& assignments);

// Whether runs that differ only in this setting may differ in their weights by more than chance: not for the seed, the
// machine and the evaluation.
bool decides_weights(const std::string& key);

// The task with the targets and the simulation budget that the assignments select, for which presets may have other
// settings (`task` itself if they select none). Throws a usage error if it has no such targets, or if the budget is too
// small.
TaskInfo with_own_choices(const Tasks& tasks, const TaskInfo& task, const std::vector<std::string>& assignments);

// fields(), without settings that have no effect: used for run.toml, presets' tables and comparisons.
std::vector<Field> read_fields(RunConfig& config);

}  // namespace pairs
