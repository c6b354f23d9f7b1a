#include "tasks/registry.h"

#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/fields.h"
#include "tasks/bump_hunt.h"
#include "tasks/digits.h"
#include "tasks/gaussian.h"
#include "tasks/novel_view.h"

namespace pairs {
namespace {

// An option that a task does not have must not lose its effect silently; "precision" is its default.
void refuse_convention(const char* task, const TaskOptions& options) {
  if (!options.convention.empty() && options.convention != "precision")
    fail_usage("The task {} has no conventions to choose from, so \"{}\" means nothing there: leave it out", task,
               options.convention);
}

void refuse_view(const char* task, const TaskOptions& options) {
  if (options.view != ViewOptions{})
    fail_usage("The task {} has no views, so the settings view.* mean nothing there: leave them out", task);
}

using Make = std::shared_ptr<const Task> (*)(const TaskOptions& options);

struct Entry {
  const char* name;
  Make make;
};

// One entry a task.
constexpr Entry entries[] = {
    {"gaussian",
     [](const TaskOptions& o) {
       refuse_view("gaussian", o);
       return make_gaussian(o.convention);
     }},
    {"bump-hunt",
     [](const TaskOptions& o) {
       refuse_convention("bump-hunt", o);
       refuse_view("bump-hunt", o);
       return make_bump_hunt();
     }},
    {"digits",
     [](const TaskOptions& o) {
       refuse_convention("digits", o);
       refuse_view("digits", o);
       return make_digits(o.data);
     }},
    {"novel-view",
     [](const TaskOptions& o) {
       refuse_convention("novel-view", o);
       return make_novel_view(o.view);
     }},
};

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::shared_ptr<const Task> make_task(const std::string& name, const TaskOptions& options) {
  for (const Entry& entry : entries)
    if (name == entry.name) return entry.make(options);
  const std::string near = nearest(name, task_names());
  fail_usage("There is no task \"{}\"{}; the tasks are {}", name,
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(task_names(), ", "));
}

}  // namespace pairs
