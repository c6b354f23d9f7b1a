#include "app/model/compare/run_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/runs/run_about.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/priority.h"
#include "core/train/run/ensemble_run.h"
#include "core/train/run/run_name.h"

namespace pairs::model {
namespace {

constexpr double kReadAtOnce = 0.2;  // seconds of reading between updates of the table

}  // namespace

RunBoard::RunBoard(Hub& hub) : hub_(hub), made_([&hub] { hub.wake(); }), average_(hub) {}

void RunBoard::list(std::vector<ListedRun> runs) {
  if (runs == *runs_) return;
  runs_ = std::make_shared<const std::vector<ListedRun>>(std::move(runs));
  ++list_;
  dirty_ = true;
  selection.keep([&](const std::string& run) {
    return std::any_of(runs_->begin(), runs_->end(), [&](const ListedRun& one) { return one.run == run; });
  });
}

void RunBoard::request() {
  dirty_ = false;
  made_.ask([tasks = hub_.tasks, runs = runs_, choices = choices_, facts = facts_, kept = hub_.kept_scores,
             list = list_](const LatestWorker::Stale& stale) {
    lower_priority(2);
    const Stopwatch watch;
    std::vector<RunRecord> records;
    for (const ListedRun& run : *runs) {
      if (stale()) throw Stopped();
      auto known = facts->find(run);
      const bool wanted = choices.task.empty() || run.task == choices.task;
      if (!known && wanted && run.problem.empty() && watch.seconds() < kReadAtOnce) known = facts->read(tasks, run);
      records.push_back({run, std::move(known)});
    }
    auto made = std::make_shared<Made>();
    made->choices = choices;
    made->list = list;
    made->view = make_table(records, choices, [&](const std::string& weights, const std::string& data) {
      return kept->find(weights, data);
    });
    return std::shared_ptr<const Made>(std::move(made));
  });
}

bool RunBoard::poll() {
  bool changed = false;
  if (const auto answer = made_.take()) {
    if (answer->value) {
      view_ = answer->value->view;
      dirty_ = dirty_ || answer->value->list != list_ || !(answer->value->choices == choices_);
      changed = true;
    } else {
      hub_.messages.error("compare", answer->failure);
    }
  }
  if (const auto ended = average_.take()) {
    averaged_ = *ended;
    hub_.messages.add(averaged_.failure.empty() ? Level::info : Level::error, "compare", averaged_text());
    changed = true;
  }
  if (asked_ && !made_.busy() && (dirty_ || unread())) request();
  return changed;
}

std::string RunBoard::averaged_text() const {
  if (!averaged_.failure.empty()) return averaged_.failure;
  if (averaged_.file.empty()) return "";
  return fmt::format("The mean of these runs is {}; evaluate it to see what it is worth",
                     printable(averaged_.file.filename().string(), 100));
}

void RunBoard::average(const std::vector<std::string>& runs) {
  if (runs_->empty()) return;
  const auto first = std::find_if(runs_->begin(), runs_->end(),
                                  [&](const ListedRun& one) { return !runs.empty() && one.run == runs.front(); });
  const std::string task = first == runs_->end() ? "" : first->task;
  const std::filesystem::path folder = hub_.runs_folder / new_run_name(task, hub_.runs_folder);
  average_.start(folder, [tasks = hub_.tasks, runs, folder](const LatestWorker::Stale&) {
    create_ensemble(tasks, runs, folder);
    name_new_run(folder, read_run_toml(tasks, folder / run_file::config));
    return true;
  });
}

std::string RunBoard::activity() const {
  return asked_ && unread() ? fmt::format("reading {} runs", view_->unread) : "";
}

bool RunBoard::wait(double seconds) {
  const Stopwatch watch;
  do {
    poll();
    if (!busy()) {
      poll();  // takes over what has ended since
      if (!busy()) return true;
    }
    made_.wait(std::max(0.0, seconds - watch.seconds()));
  } while (watch.seconds() < seconds);
  poll();
  return !busy();
}

void RunBoard::change(const std::function<void(TableChoices&)>& set) {
  TableChoices next = choices_;
  set(next);
  if (next == choices_) return;
  choices_ = std::move(next);
  dirty_ = true;
}

void RunBoard::look(const std::string& task) {
  if (task_ != task) selection.choose_none();
  task_ = task;
  if (!asked_) dirty_ = true;
  asked_ = true;
  change([&](TableChoices& next) { next.task = all_tasks_ ? "" : task; });
}

void RunBoard::set_all_tasks(bool all) {
  all_tasks_ = all;
  change([&](TableChoices& next) { next.task = all ? "" : task_; });
}

void RunBoard::set_filter(const std::string& filter) {
  change([&](TableChoices& next) { next.filter = filter; });
}

void RunBoard::set_fold(bool fold) {
  change([&](TableChoices& next) { next.fold = fold; });
}

void RunBoard::set_archived(bool shown) {
  change([&](TableChoices& next) { next.archived = shown; });
}

void RunBoard::set_n(std::int64_t n) {
  change([&](TableChoices& next) { next.n = n; });
}

void RunBoard::set_baseline(const std::string& run) {
  change([&](TableChoices& next) { next.baseline = run; });
}

void RunBoard::set_plot(const std::string& y, const std::string& x) {
  change([&](TableChoices& next) {
    next.plot_y = y;
    next.plot_x = x;
  });
}

void RunBoard::sort_by(const std::string& key) {
  change([&](TableChoices& next) {
    if (next.sort != key) {
      next.sort = key;
      next.down = false;
    } else if (!next.down) {
      next.down = true;
    } else {
      next.sort.clear();
      next.down = false;
    }
  });
}

void RunBoard::show_column(const std::string& key, bool shown) {
  change([&](TableChoices& next) {
    std::erase_if(next.columns, [&](const std::string& one) { return one.substr(1) == key; });
    next.columns.push_back((shown ? "+" : "-") + key);
  });
}

void RunBoard::reset_columns() {
  change([](TableChoices& next) { next.columns.clear(); });
}

void RunBoard::restore(std::vector<std::string> columns, const std::string& sort, bool fold) {
  std::erase_if(columns,
                [](const std::string& one) { return one.size() < 2 || (one.front() != '+' && one.front() != '-'); });
  change([&](TableChoices& next) {
    next.columns = std::move(columns);
    next.down = sort.starts_with('-');
    next.sort = next.down ? sort.substr(1) : sort;
    next.fold = fold;
  });
}

std::string RunBoard::sort_text() const {
  return choices_.down ? "-" + choices_.sort : choices_.sort;
}

void RunSelection::choose(const TableRow& row, Click click) {
  const auto all_chosen = [&] {
    return std::all_of(row.runs.begin(), row.runs.end(), [&](const std::string& run) { return chosen_.contains(run); });
  };
  if (click == Click::range && view_) {
    const auto at = [&](const std::string& run) {
      return std::find_if(view_->rows.begin(), view_->rows.end(), [&](const TableRow& one) {
        return std::find(one.runs.begin(), one.runs.end(), run) != one.runs.end();
      });
    };
    auto from = at(last_clicked_), to = at(row.runs.front());
    if (from == view_->rows.end()) from = to;
    if (to < from) std::swap(from, to);
    for (; to != view_->rows.end() && from <= to; ++from) chosen_.insert(from->runs.begin(), from->runs.end());
    return;
  }
  last_clicked_ = row.runs.front();
  if (click == Click::toggled && all_chosen()) {
    for (const std::string& run : row.runs) chosen_.erase(run);
    return;
  }
  if (click == Click::alone) chosen_.clear();
  chosen_.insert(row.runs.begin(), row.runs.end());
}

std::vector<std::string> RunSelection::chosen_listed() const {
  std::vector<std::string> all;
  if (view_)
    std::copy_if(view_->listed.begin(), view_->listed.end(), std::back_inserter(all),
                 [&](const std::string& run) { return chosen_.contains(run); });
  return all;
}

void RunSelection::choose_all() {
  if (view_) chosen_ = {view_->listed.begin(), view_->listed.end()};
}

void RunSelection::turn_frame() {
  hovered_ = std::exchange(hovered_next_, {});
}

}  // namespace pairs::model
