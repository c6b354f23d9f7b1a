#pragma once

#include <cstdint>
#include <string>

#include "app/batch/command.h"
#include "app/runs/new_run.h"
#include "core/train/config.h"
#include "core/train/stages.h"

namespace pairs::batch {

// Has a new run keep to a budget of simulations (--simulations), where one is given (more than 0). Throws a usage error
// for a task that no program of a person's own simulates.
void limit_simulations(const TaskCatalogue& tasks, std::int64_t simulations, NewRun& wanted);

// What a run with a budget of simulations spends them on, and which settings of the preset the budget changed, a line
// each; "" of a run without.
std::string budget_lines(const RunConfig& config);

// "" or a sentence that names the budget of simulations with which a run fits an hour, where a program of a person's own
// would simulate for longer than that.
std::string budget_advice(const TaskCatalogue& tasks, const RunConfig& config, const ExpectedCost& need);

// Adds to what `data TASK --plan` answers, of a run with a budget of simulations: the sets that they make, how many of
// them serve which stage, how long they take by the program's measured pace (where `agreed` to: it is started for it),
// and which settings of the preset the budget changed. Nothing where there is no budget.
void add_budget(const RunConfig& config, bool agreed, Result& result);

}  // namespace pairs::batch
