#pragma once

#include "app/batch/parts/command.h"
#include "core/train/settings/config.h"

namespace pairs::batch {

// The result of `data TASK --plan`: the steps and cost of each stage, the sets that a run with these settings draws,
// stage by stage, and how many of which size to simulate beforehand so that none is drawn twice; for a task of stored
// sets, which of them serve.
Result plan_report(const TaskCatalog& tasks, const RunConfig& config);

}  // namespace pairs::batch
