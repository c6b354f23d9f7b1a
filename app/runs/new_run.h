#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/train/settings/config.h"
#include "core/train/settings/stages.h"
#include "tasks/catalog.h"

namespace pairs {

// The user's settings of a new run; the others keep the preset's value.
struct NewRun {
  std::string task, preset = "quick", strategy = "pairs", device, data;
  std::vector<std::string> set;  // key=value
  std::int64_t seed = -1, threads = -1;
};
// The complete, checked configuration of a run of one of `tasks`. Throws a usage error, also for a setting given twice.
RunConfig resolve(const Tasks& tasks, const NewRun& wanted);

// The command that trains this run; `out` may be empty.
std::string run_command(const TaskCatalog& tasks, const NewRun& wanted, const std::filesystem::path& out);

// Throws Error if the disk of `folder` has no room for a run with a cache of `cache_bytes`; `elsewhere` describes how
// to choose another place ("choose another place with --out").
void check_room(double cache_bytes, const std::filesystem::path& folder, const std::string& elsewhere);

// The expected duration of a run, from an idle machine to the current load: "8 to 14 minutes (pretrain 5 to 8 minutes,
// cache under a second, finetune 4 to 6 minutes)".
std::string expected_text(const RunConfig& config, const ExpectedCost& need);
// A sentence on how much longer a run takes on the busy machine than on an idle one; or "".
std::string busy_note(const RunConfig& config, const ExpectedCost& need);

}  // namespace pairs
