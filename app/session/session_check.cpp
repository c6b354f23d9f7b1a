#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "app/posterior/set/observed_set.h"
#include "app/posterior/set/set_size.h"
#include "app/posterior/source/derived.h"
#include "app/posterior/source/other_prior.h"
#include "app/session/session.h"
#include "core/base/files/digest.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

std::string shown_path(const std::string& path) {
  return printable(path, 300);
}

// The checksum of the run's weights for inference; "" if there are none.
std::string weights_of(const std::string& run, const Tasks& tasks, const std::string& data) {
  const RunFolder found = find_run(tasks, run, data);
  for (const char* name : {run_file::estimator, run_file::pretrained}) {
    std::error_code error;
    if (fs::exists(found.folder / name, error)) return weights_checksum(found.folder / name);
  }
  return "";
}

std::string run_problem(const std::string& run, const Tasks& tasks, const std::string& data) {
  try {
    find_run(tasks, run, data);
    return "";
  } catch (const std::exception& error) {
    if (!run.starts_with('/')) return sentence(error);
    return fmt::format("The run {} is missing: bring it there, or open the session without it", shown_path(run));
  }
}

// All runs that it names, once each, the shown one first.
std::vector<std::string> runs_of(const SavedSession& session) {
  std::vector<std::string> runs;
  const auto add = [&](const std::string& run) {
    if (!run.empty() && std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
  };
  add(session.question.run);
  for (const std::string& run : session.question.others) add(run);
  for (const std::string& run : session.compared) add(run);
  for (const PinnedQuestion& pin : session.question.pinned) add(pin.run);
  return runs;
}

bool is_regular(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

std::string file_problem(const fs::path& file) {
  std::error_code error;
  if (file.empty() || !file.is_absolute() || fs::exists(file, error)) return "";
  return fmt::format("The data {} are missing: bring them there, or open them from another place",
                     shown_path(file.string()));
}

}  // namespace

namespace {

// What of the question the run cannot answer.
std::vector<std::string> question_problems(const LoadedRun& run, const SavedSession& session) {
  std::vector<std::string> problems;
  const Question& question = session.question;
  const TaskInfo& info = run.task->info();
  const auto attempt = [&](const char* what, const std::function<void()>& make) {
    try {
      make();
    } catch (const std::exception& error) {
      problems.push_back(fmt::format("{}: {}", what, sentence(error)));
    }
  };
  if (info.name != session.task)
    problems.push_back(fmt::format("The run {} is of task {}, and the session of {}", shown_path(question.run),
                                   info.name, shown_path(session.task)));
  if (!question.derived.empty())
    attempt("The derived quantities cannot be shown", [&] { derived_quantities(question.derived, info); });
  attempt("The other prior cannot be used", [&] { other_prior(run.task, question.prior); });
  for (const PinnedQuestion& pin : question.pinned)
    if (pin.run == question.run && pin.n > info.max_n)
      problems.push_back(fmt::format("The pin {} is of N = {}, and task {} is defined up to N = {}",
                                     shown_path(pin.name), count_text(pin.n), info.name, count_text(info.max_n)));
  if (question.many || question.set.simulated() || !file_problem(question.set.file).empty()) return problems;
  attempt("The set cannot be opened", [&] {
    SetChoice choice = question.set;
    choice.assume_given = true;
    const ObservedSet set(run.task, choice);
    check_held(question.n, set.name(), set.held());
  });
  return problems;
}

}  // namespace

std::vector<std::string> session_run_problems(const SavedSession& session, const Tasks& tasks,
                                              const std::string& data) {
  std::vector<std::string> problems;
  for (const std::string& run : runs_of(session)) {
    if (!run_problem(run, tasks, data).empty()) continue;
    try {
      if (weights_of(run, tasks, data).empty()) continue;
      const LoadedRun loaded = load_run(tasks, run, data, "cpu");
      if (run == session.question.run)
        for (std::string& problem : question_problems(loaded, session)) problems.push_back(std::move(problem));
    } catch (const std::exception& error) {
      problems.push_back(fmt::format("The run {} cannot be opened: {}", shown_path(run), sentence(error)));
    }
  }
  return problems;
}

void stamp_session(SavedSession& session, const Tasks& tasks, const std::string& data) {
  const auto stamp = [&](const std::string& run, const fs::path& file, std::string& weights, std::string& sha256) {
    sha256 = is_regular(file) ? sha256_of(file) : "";
    weights = !run.empty() && run_problem(run, tasks, data).empty() ? weights_of(run, tasks, data) : "";
  };
  stamp(session.question.run, session.question.set.file, session.weights, session.sha256);
  for (PinnedQuestion& pin : session.question.pinned) stamp(pin.run, pin.set.file, pin.weights, pin.sha256);
}

std::vector<std::string> session_problems(const SavedSession& session, const Tasks& tasks, const std::string& data) {
  std::vector<std::string> problems;
  const auto add = [&](const std::string& text) {
    if (!text.empty() && std::find(problems.begin(), problems.end(), text) == problems.end()) problems.push_back(text);
  };
  const std::vector<std::string> known = tasks->names();
  const bool named = std::find(known.begin(), known.end(), session.task) != known.end();
  std::error_code error;
  if (!session.task_file.empty() && !fs::exists(session.task_file, error))
    add(fmt::format("The task's file {} is missing", shown_path(session.task_file)));
  else if (!named && session.task_file.empty() && session.question.run.empty())
    add(fmt::format("There is no task {} in this program", shown_path(session.task)));
  for (const std::string& run : runs_of(session)) add(run_problem(run, tasks, data));
  add(file_problem(session.question.set.file));
  for (const PinnedQuestion& pin : session.question.pinned) add(file_problem(pin.set.file));
  const auto compare = [&](const std::string& run, const fs::path& file, const std::string& weights,
                           const std::string& sha256) {
    if (!weights.empty() && run_problem(run, tasks, data).empty() && weights_of(run, tasks, data) != weights)
      add(fmt::format("The weights of {} are others than when the session was saved: its numbers are others",
                      shown_path(run)));
    if (!sha256.empty() && is_regular(file) && sha256_of(file) != sha256)
      add(fmt::format("The file {} holds other data than when the session was saved: its numbers are others",
                      shown_path(file.string())));
  };
  compare(session.question.run, session.question.set.file, session.weights, session.sha256);
  for (const PinnedQuestion& pin : session.question.pinned) compare(pin.run, pin.set.file, pin.weights, pin.sha256);
  return problems;
}

}  // namespace pairs
