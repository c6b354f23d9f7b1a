#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/studies/study_results.h"
#include "core/report/figure.h"

namespace pairs {

// A figure of a study with notes: effects with their errors, and what is missing.
struct StudyDrawing {
  std::string name;
  Figure figure;
  std::vector<std::string> notes = {};
};

// Common functions for the figures of a study.

// Groups with finished runs, for one task ("": all).
std::vector<SeedGroup> done_groups(const StudyResults& results, const std::string& task = "");
// Tasks with finished runs. Throws Error if there are none.
std::vector<std::string> done_tasks(const StudyResults& results);
// The colors of a task's groups: shades of one color for one strategy.
std::vector<SeriesRole> roles_of(const std::vector<SeedGroup>& groups);
// The metrics of its first finished run. Throws Error if there is none.
const Metrics& metrics_of(const SeedGroup& group);
// The data and the number of the study's runs in a figure, in one line.
std::string source_of(const StudyResults& results);
// The baseline of a group: the group with the same task, preset and varied settings and this strategy; if there is none
// because `group` reads fewer of the varied settings, the first one that has all of its settings. Null if there is
// none.
const SeedGroup* baseline_of(const SeedGroup& group, const std::vector<SeedGroup>& groups, const std::string& strategy);

}  // namespace pairs
