#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/studies/study_results.h"
#include "core/report/figure.h"

namespace pairs {

// A figure of a study, with what it shows in words: effects with their errors, and what is missing.
struct StudyDrawing {
  std::string name;
  Figure figure;
  std::vector<std::string> notes = {};
};

// What the figures of a study have in common.

// Groups of which something is done, of one task ("": all).
std::vector<SeedGroup> done_groups(const StudyResults& results, const std::string& task = "");
// Tasks of which something is done. Throws Error where nothing is.
std::vector<std::string> done_tasks(const StudyResults& results);
// The colours of a task's groups: of one strategy different shades.
std::vector<SeriesRole> roles_of(const std::vector<SeedGroup>& groups);
// Of its first run that is done. Throws Error where none is.
const Metrics& metrics_of(const SeedGroup& group);
// The data and how many runs of the study a figure shows, in one line.
std::string source_of(const StudyResults& results);
// With what a group is compared: the same task, preset and varied settings with this strategy; where it does not read
// what the others vary, the first of them that has what it has. Null where there is none.
const SeedGroup* baseline_of(const SeedGroup& group, const std::vector<SeedGroup>& groups, const std::string& strategy);

}  // namespace pairs
