#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/train/config.h"
#include "core/train/stages.h"
#include "tasks/catalogue.h"

namespace pairs {

// What a person says of a new run; what is left out keeps the preset's value.
struct NewRun {
  std::string task, preset = "quick", strategy = "pairs", device, data;
  std::vector<std::string> set;  // key=value
  std::int64_t seed = -1, threads = -1;
};
// Its whole configuration, of a run of one of `tasks`, checked. Throws a usage error, also where it gives a setting
// twice.
RunConfig resolve(const Tasks& tasks, const NewRun& wanted);

// The same on the command line; `out` may be empty.
std::string run_command(const TaskCatalogue& tasks, const NewRun& wanted, const std::filesystem::path& out);

// Throws Error when the disk that will hold `folder` has no room for a run with a cache of `cache_bytes`; `elsewhere`
// says how another place is chosen ("choose another place with --out").
void check_room(double cache_bytes, const std::filesystem::path& folder, const std::string& elsewhere);

// How long a run is expected to take, from the machine to itself to beside what others do now: "8 to 14 minutes
// (pretrain 5 to 8 minutes, cache under a second, finetune 4 to 6 minutes)".
std::string expected_text(const RunConfig& config, const ExpectedCost& need);
// "" or a sentence on how much longer a run takes than with the machine to itself, which is busy.
std::string busy_note(const RunConfig& config, const ExpectedCost& need);

}  // namespace pairs
