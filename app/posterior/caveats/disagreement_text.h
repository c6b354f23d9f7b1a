#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/eval/calibration/disagreement.h"
#include "core/task.h"
#include "core/train/settings/config.h"

namespace pairs {

// How far an ensemble's members differ on a set, as a sentence: "The 5 runs of the ensemble differ by 0.031 ± 0.002 nat
// (Jensen–Shannon divergence, at most 1.61), their means of θ by 0.18 of its sd". "" without an ensemble.
std::string disagreement_text(const Disagreement& known, const TaskInfo& info);
// The warning if the members differ too far, a sentence; else "".
std::string disagreement_warning(const Disagreement& known, const TaskInfo& info);
// The largest spread over targets; NaN without an ensemble.
double largest_spread(const Disagreement& known);
// The runs of an ensemble: [{"run", "seed", "weights"}].
nlohmann::json members_document(const std::vector<EnsembleMember>& members);
// Adds the object "ensemble" to a posterior's document if there is one; `members`: its runs, or none.
void add_disagreement(nlohmann::json& document, const Disagreement& known, const TaskInfo& info,
                      const std::vector<EnsembleMember>& members = {});

}  // namespace pairs
