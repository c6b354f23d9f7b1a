#include "app/studies/study_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/runs/strategy_look.h"
#include "core/base/fields/fields.h"
#include "core/base/text/error.h"
#include "core/report/shades.h"

namespace pairs {

std::vector<SeedGroup> done_groups(const StudyResults& results, const std::string& task) {
  std::vector<SeedGroup> groups = results.groups();
  std::erase_if(groups,
                [&](const SeedGroup& group) { return group.done() == 0 || (!task.empty() && group.task != task); });
  return groups;
}

std::vector<std::string> done_tasks(const StudyResults& results) {
  std::vector<std::string> tasks = results.task_names();
  std::erase_if(tasks, [&](const std::string& task) { return done_groups(results, task).empty(); });
  PAIRS_CHECK(!tasks.empty(), "No run of the study {} is done yet; run the study first", results.study.name);
  return tasks;
}

std::vector<SeriesRole> roles_of(const std::vector<SeedGroup>& groups) {
  std::map<std::string, int> used;
  std::vector<SeriesRole> roles;
  for (const SeedGroup& group : groups) roles.push_back(shaded(strategy_role(group.strategy), used[group.strategy]++));
  return roles;
}

const Metrics& metrics_of(const SeedGroup& group) {
  for (const StudyResult* one : group.runs)
    if (one->metrics) return *one->metrics;
  fail("{} has no run that is done", group.title());
}

std::string source_of(const StudyResults& results) {
  std::set<std::string> data;
  std::size_t runs = 0;
  for (const StudyResult& one : results.results)
    if (one.metrics) {
      data.insert(one.metrics->data);
      ++runs;
    }
  std::string text;
  for (const std::string& one : data) text += (text.empty() ? "" : ", ") + one;
  return fmt::format("{}; study {}, {} runs", text, results.study.name, runs);
}

const SeedGroup* baseline_of(const SeedGroup& group, const std::vector<SeedGroup>& groups,
                             const std::string& strategy) {
  const SeedGroup* found = nullptr;
  for (const SeedGroup& other : groups) {
    const bool extra = other.task == group.task && other.strategy == strategy && other.preset == group.preset &&
                       other.runs.front()->folder.parent_path() == group.runs.front()->folder.parent_path();
    if (extra && other.varied == group.varied) return &other;
    const bool holds = std::all_of(group.varied.begin(), group.varied.end(), [&](const std::string& one) {
      return std::find(other.varied.begin(), other.varied.end(), one) != other.varied.end();
    });
    if (extra && holds && !found) found = &other;
  }
  return found;
}

}  // namespace pairs
