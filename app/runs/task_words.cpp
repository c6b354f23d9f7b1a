#include "app/runs/task_words.h"

#include <fmt/format.h>

#include <utility>

#include "app/runs/task_options.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"

namespace pairs {

std::string with_task_names(std::string text) {
  constexpr std::pair<const char*, TaskRole> roles[] = {{"{first}", TaskRole::first},
                                                        {"{exact}", TaskRole::exact},
                                                        {"{data}", TaskRole::data},
                                                        {"{views}", TaskRole::views}};
  for (const auto& [word, role] : roles)
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, std::string(word).size(), task_in_role(role));
  return text;
}

std::string other_data_advice(const LoadedRun& run, const std::string& option) {
  const std::string& trained = run.estimator->data_source();
  if (!run.task->info().file.empty()) return "restore what it was trained on, or train a run on what is there now";
  try {
    if (run.config.tasks->make(run.config.task, options_without_data(run.config))->info().data_source == trained)
      return option.empty()
                 ? fmt::format("name no folder of real data for {}, which the program makes itself", trained)
                 : fmt::format("leave out {} and PAIRS_DATA for {}, which the program makes itself", option, trained);
  } catch (const Error&) {
    // The task cannot be made without data.
  }
  return fmt::format("name the folder of {} {}", trained, option.empty() ? "on the Task tab" : "with " + option);
}

AskedTask asked_task(const LoadedRun& run) {
  return {run.name, run.task->info().name, run.task->info().variant};
}

std::string other_question(const AskedTask& a, const AskedTask& b) {
  if (a.task != b.task)
    return fmt::format("{} is of task {} and {} of task {}; only runs of one task can be compared", a.run, a.task,
                       b.run, b.task);
  const auto words = [](const std::string& variant) { return variant.empty() ? "its usual settings" : variant; };
  if (a.variant == b.variant) return "";
  return fmt::format("{} is of {} with {} and {} with {}; only runs with the same settings of the task can be compared",
                     a.run, a.task, words(a.variant), b.run, words(b.variant));
}

}  // namespace pairs
