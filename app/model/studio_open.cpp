#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "app/model/files/look_at_path.h"
#include "app/model/studio.h"
#include "app/posterior/question/set_fields.h"
#include "app/session/session.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace fs = std::filesystem;

// Each task keeps its last compared runs.
void Studio::turn_comparison(const std::string& task) {
  if (task_.empty() || task == task_) return;
  std::vector<std::string>& kept = compared_[task_];
  kept.clear();
  for (const ComparedRun& run : comparison.entries()) kept.push_back(run.run);
  comparison.clear();
  for (const std::string& run : compared_[task]) comparison.toggle(run);
}

// The run from the list, so that the window does not wait for a slow disk; newer weights are taken over once the list
// reports them (take_new_weights). Null if the list knows too little.
const RunEntry* Studio::listed_run(const std::string& run) const {
  const RunEntry* const entry = library.find(run);
  return entry && entry->can_open() ? entry : nullptr;
}

bool Studio::has_weights(const std::string& run) const {
  const RunEntry* const listed = listed_run(run);
  return listed ? listed->pretrained || listed->finished : run_status(run).pretrained;
}

// The options of the run's task; for a custom task the open file, none without a run or for a damaged one.
TaskOptions Studio::options_of(const std::string& run) const {
  if (run.empty()) return {};
  try {
    const RunEntry* const listed = listed_run(run);
    const RunConfig config =
        listed != nullptr
            ? *listed->config
            : read_run_toml(hub.tasks, find_run(hub.tasks, run, hub.data_folder.string()).folder / run_file::config);
    if (config.task_file.empty()) return config.task_options();
  } catch (const std::exception&) {
    // Opening the run reports the error.
  }
  return {};
}

// `weighted`: whether the run has weights; without them, only its training can be shown.
void Studio::show(const std::string& task, const std::string& run, bool weighted) {
  turn_comparison(task);
  task_ = task;
  run_ = run;
  last_runs_[task] = run;
  settings.task = task;
  settings.run = run == task ? "" : run;
  specimen.show(task, options_of(run));
  const std::string weights = weighted ? run : "";
  PosteriorPage& shown = posterior_page();
  for (PosteriorPage* other : std::initializer_list<PosteriorPage*>{&posterior, &viewer})
    if (other != &shown) other->close();
  shown.open(weights);
  evaluation.show(weights);
  library.watch(run);
  offer_comparison();
}

void Studio::open_task(const std::string& task) {
  page.close();
  if (!is_task(task)) return hub.messages.error("task", fmt::format("There is no task {}", printable(task)));
  std::string run = has_shipped_weights(hub.tasks, task) ? task : "";
  // The run that the task last showed, if it still exists.
  std::error_code error;
  if (const auto last = last_runs_.find(task);
      last != last_runs_.end() && last->second != task && fs::exists(fs::path(last->second) / run_file::config, error))
    run = last->second;
  if (run.empty())
    for (const RunEntry& entry : library.runs())
      if (entry.task == task && entry.finished && entry.problem.empty()) {
        run = entry.run;
        break;
      }
  show(task, run, run.empty() || run == task || has_weights(run));
  training.open_task(task);
  if (training.drafting() && !run.empty() && run != task) training.open_run(run);
}

void Studio::open_run(const std::string& run) {
  page.close();
  if (is_task(run)) {
    last_runs_.erase(run);  // its shipped weights were requested
    return open_task(run);
  }
  try {
    const RunEntry* const listed = listed_run(run);
    const fs::path found = listed != nullptr ? listed->folder : find_run(hub.tasks, run).folder;
    const RunConfig config = listed != nullptr ? *listed->config : read_run_toml(hub.tasks, found / run_file::config);
    const bool weighted = has_weights(listed != nullptr ? run : found.string());
    if (!config.task_copy.empty() && !is_task(config.task)) {
      awaited_run_ = {run, config.task};
      library.own().open(config.task_copy, true);
      if (task_.empty()) open_task(task_in_role(TaskRole::first));  // in the meantime
      return;
    }
    PAIRS_CHECK(is_task(config.task), "{} is a run of the task {}, which this program does not have", found.string(),
                printable(config.task));
    const fs::path folder = fs::absolute(found).lexically_normal();
    show(config.task, folder.string(), weighted);
    training.open_task(config.task);  // the destination of "New run"
    training.open_run(folder);
    if (!weighted && (tab_ == Tab::posterior || tab_ == Tab::evaluate)) set_tab(Tab::train);
  } catch (const std::exception& error) {
    hub.messages.error("runs", sentence(error));
    settings.log_open = true;
  }
}

void Studio::open_path(const fs::path& path) {
  open_looked(look_at_path(path, *hub.tasks, posterior_page().data_task()));
}

void Studio::look_and_open(const fs::path& path) {
  to_open_.push_back(path);
  looked_.ask([paths = to_open_, tasks = hub.tasks, page = posterior_page().data_task()](const auto& stale) {
    auto all = std::make_shared<std::vector<LookedPath>>();
    for (const fs::path& one : paths) {
      if (stale()) throw Stopped();
      all->push_back(look_at_path(one, *tasks, page));
    }
    return all;
  });
}

void Studio::take_looked() {
  const auto looked = looked_.take();
  if (!looked) return;
  to_open_.clear();
  if (!looked->value) return hub.messages.error("open", looked->failure);
  for (const LookedPath& one : *looked->value) open_looked(one);
}

void Studio::open_looked(const LookedPath& looked) {
  const fs::path& path = looked.path;
  const std::string name = path.string();
  if (!looked.exists && is_task(name)) return open_task(name);
  if (looked.session) return session.open(path);
  if (looked.run) {
    const std::string problem = library.folders.add(path);
    if (!problem.empty()) hub.messages.warning("runs", problem);
    settings.remember_file(path);
    return open_run(fs::absolute(path).lexically_normal().string());
  }
  if (looked.task_file) {
    settings.remember_file(path);
    return library.own().open(path, true);
  }
  if (const auto refused = posterior_page().open_data(looked)) {
    if (!refused->empty()) {
      hub.messages.error("open", *refused);
      settings.log_open = true;
      return;
    }
    set_tab(Tab::posterior);
    if (looked.exists) settings.remember_file(path);
    return;
  }
  const std::string ending = path.extension().string();
  std::string problem, others;
  if (looked.folder) {
    problem = library.folders.add(path);
  } else {
    const bool table = ending == ".txt" || ending == ".tsv";  // may be any file, like CSV
    for (const LookedPath::ItemOfTask& known : looked.items) {
      if (known.is_it && !table && looked.exists) {
        open_task(known.task);
        set_tab(Tab::posterior);
        settings.remember_file(path);
        return posterior.set.open_file(path);
      }
      others += ", a " + known.item;
    }
    problem = fmt::format(
        "{} cannot be opened here; give a run folder, a session, a task.toml, a CSV or NPZ file of observations, a "
        "folder of images{}",
        printable(name, 300), others);
  }
  if (problem.empty()) return settings.remember_file(path);
  hub.messages.error("open", problem);
  settings.log_open = true;
}

void Studio::reopen_task() {
  for (const OwnTask& own : library.own().all())
    if (own.said.name == task_ && own.state != OwnState::opening) return library.own().open(own.file, true);
  specimen.reload();
}

// Stores the open custom tasks for the next start. Shows an awaited task once it is open.
void Studio::follow_own_tasks() {
  std::vector<std::string> files;
  for (const OwnTask& task : library.own().all())
    if (!task.of_run()) files.push_back(task.file.string());
  if (files != settings.own_tasks) settings.own_tasks = std::move(files);
  if (!awaited_task_.empty() && is_task(awaited_task_)) {
    open_task(std::exchange(awaited_task_, ""));
    if (awaited_shown_) restore_shown(*awaited_shown_);
    awaited_shown_.reset();
  }
  if (!task_.empty() && !is_task(task_)) open_task(task_in_role(TaskRole::first));  // it was removed from the list
  if (library.own().take_failed()) {
    settings.log_open = true;  // it gives the reason
    if (const TaskEntry* shown = library.task(task_); shown && shown->own) specimen.reload();
  }
  const OwnTask* task = library.own().take_awaited();
  if (!task) return;
  awaited_task_.clear();
  const std::string name = task->said.name;
  const auto awaited = std::exchange(awaited_run_, {});
  if (awaited.task == name) return open_run(awaited.run);
  // It may have been open with the file's previous contents.
  training.drafts.renew(name);
  const bool shown = name == task_;
  open_task(name);
  if (shown) {
    specimen.reload();
    posterior_page().reload();
  } else if (run_.empty()) {
    set_tab(Tab::task);
  }
}

Question Studio::question() const {
  Question now = posterior.question();
  const PosteriorPage& page = posterior_page();
  if (&page == &posterior) return now;
  const Question of_page = page.question();
  now.set = of_page.set;
  now.many = of_page.many;
  now.n = of_page.n;
  now.others = of_page.others;
  now.tests.clear();
  return now;
}

void Studio::restore(Question question) {
  std::error_code error;
  std::erase_if(question.others, [&](const std::string& run) {
    return library.task(run) == nullptr && !fs::exists(fs::path(run) / run_file::config, error);
  });
  question.many = question.many && !question.set.simulated();
  if (&posterior_page() != &posterior) posterior.restore_extras(question);
  posterior_page().restore(question);
}

// What an earlier start has shown of the task.
void Studio::restore_shown(const Settings& remembered) {
  std::error_code error;
  const auto there = [&](const std::string& run) {
    return run == task_ || fs::exists(fs::path(run) / run_file::config, error);
  };
  for (const std::string& run : remembered.compared)
    if (there(run) && !comparison.holds(run)) comparison.toggle(run);
  if (!(remembered.question == Question())) restore(remembered.question);
}

void Studio::remember_shown() {
  Question now = question();
  now.run.clear();  // settings.run
  // The settings hold nothing but UTF-8, nor the member of many that is shown and what was set of it.
  if (now.many) {
    now.set = of_all_members(std::move(now.set));
    now.tests.clear();
  }
  if (!is_utf8(now.set)) now.set = {.index = now.set.index};
  now.many = now.many && !now.set.simulated();
  std::erase_if(now.pinned, [](const PinnedQuestion& pin) { return !is_utf8(pin.set); });
  if (is_utf8(now)) settings.question = std::move(now);
  settings.compared.clear();
  for (const ComparedRun& run : comparison.entries()) settings.compared.push_back(run.run);
  settings.table_columns = board.choices().columns;
  settings.table_sort = board.sort_text();
  settings.table_folded = board.choices().fold;
}

}  // namespace pairs::model
