#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/eval/disagreement.h"
#include "core/task.h"
#include "core/train/config.h"

namespace pairs {

// How far an ensemble's members differ about a set, a sentence: "The 5 runs of the ensemble differ by 0.031 ± 0.002 nat
// (Jensen–Shannon divergence, at most 1.61), their means of θ by 0.18 of its sd". "" where there is no ensemble.
std::string disagreement_text(const Disagreement& known, const TaskInfo& info);
// Why an answer on which they differ so far is not to be relied on, a sentence; "" where they do not.
std::string disagreement_warning(const Disagreement& known, const TaskInfo& info);
// The largest spread over targets; NaN where there is no ensemble.
double largest_spread(const Disagreement& known);
// The runs of an ensemble: [{"run", "seed", "weights"}].
nlohmann::json members_document(const std::vector<EnsembleMember>& members);
// Adds the object "ensemble" to an answer's document, where there is one; `members` by their runs, or none.
void add_disagreement(nlohmann::json& document, const Disagreement& known, const TaskInfo& info,
                      const std::vector<EnsembleMember>& members = {});

}  // namespace pairs
