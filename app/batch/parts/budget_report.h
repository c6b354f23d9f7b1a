#pragma once

#include <cstdint>
#include <string>

#include "app/batch/parts/command.h"
#include "app/runs/new_run.h"
#include "core/train/settings/config.h"
#include "core/train/settings/stages.h"

namespace pairs::batch {

// Limits a new run to a budget of simulations (--simulations) if one is given (more than 0). Throws a usage error
// unless a custom task's program simulates.
void limit_simulations(const TaskCatalog& tasks, std::int64_t simulations, NewRun& wanted);

// How a run spends its budget of simulations, and which settings of the preset the budget changed, one line each; ""
// without a budget.
std::string budget_lines(const RunConfig& config);

// A sentence that names the budget of simulations with which a run fits into an hour, if a custom program would
// simulate for longer; else "".
std::string budget_advice(const TaskCatalog& tasks, const RunConfig& config, const ExpectedCost& need);

// Adds to the result of `data TASK --plan` for a run with a budget: the simulated sets, how many serve each stage, how
// long they take at the program's measured pace (if `agreed`: it is started for that), and which settings of the preset
// the budget changed. Adds nothing without a budget.
void add_budget(const RunConfig& config, bool agreed, Result& result);

}  // namespace pairs::batch
