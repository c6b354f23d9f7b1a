#pragma once

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/train/config.h"

namespace pairs {

// Why nothing reads the setting `key` in a run of this configuration, a clause: "embedder.kind is \"mlp\""; "" where
// something does, and where there is no such setting.
std::string unread_because(const RunConfig& config, const std::string& key);

// Those of the assignments "key=value" whose settings something reads once all of them are made. Throws a usage error
// for one that cannot be made.
std::vector<std::string> read_assignments(const RunConfig& config, const std::vector<std::string>& assignments);

// Whether runs that differ in this setting alone may differ in their weights by more than chance: the seed, the machine
// and what is evaluated do not decide that.
bool decides_weights(const std::string& key);

// The task with the targets and the budget of simulations that the assignments choose, whose presets may have other
// settings then (`task` itself where they choose none). Throws a usage error where it has no such targets, or too small
// a budget.
TaskInfo with_own_choices(const Tasks& tasks, const TaskInfo& task, const std::vector<std::string>& assignments);

// fields(), without those that nothing reads: what run.toml, presets' tables and comparisons show.
std::vector<Field> read_fields(RunConfig& config);

}  // namespace pairs
