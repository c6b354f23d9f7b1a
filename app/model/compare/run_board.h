#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/model/compare/run_record.h"
#include "app/model/compare/run_table.h"
#include "app/model/hub/file_job.h"
#include "app/model/hub/hub.h"
#include "app/model/hub/scores.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The runs of the table that are selected, and those that the mouse is on.
class RunSelection {
 public:
  // `view`: the table, null until there is one.
  explicit RunSelection(const std::shared_ptr<const TableView>& view) : view_(view) {}

  // The selected runs, and those of them that the table lists; actions on several runs use the latter.
  const std::set<std::string>& chosen() const { return chosen_; }
  std::vector<std::string> chosen_listed() const;
  // A click selects this row alone; with Ctrl, it toggles the row; with Shift, it selects all rows from the last
  // clicked one.
  enum class Click { alone, toggled, range };
  void choose(const TableRow& row, Click click);
  void choose_all();
  void choose_none() { chosen_.clear(); }

  // Selects exactly these runs, as a click on their curve does.
  void choose_runs(const std::vector<std::string>& runs) { chosen_ = {runs.begin(), runs.end()}; }

  // Drops all runs but those for which `wanted` is true.
  void keep(const std::function<bool(const std::string& run)>& wanted) {
    std::erase_if(chosen_, [&](const std::string& run) { return !wanted(run); });
  }

  // The runs whose row or curve the mouse hovers over. They are collected in each frame and take effect in the next.
  void hover(const std::vector<std::string>& runs) { hovered_next_.insert(runs.begin(), runs.end()); }
  const std::set<std::string>& hovered() const { return hovered_; }
  void turn_frame();

 private:
  const std::shared_ptr<const TableView>& view_;
  std::set<std::string> chosen_;
  std::string last_clicked_;  // the first run of that row
  std::set<std::string> hovered_, hovered_next_;
};

// The runs of a task, or of all tasks, as the Compare tab lists them: a table that is filtered, folded and sorted in
// the background, its selected rows, and the plot of a score against a setting or the cost. Reads runs' files only once
// the table is shown, a few at a time, so that it fills gradually.
class RunBoard {
  std::shared_ptr<const TableView> view_;

 public:
  explicit RunBoard(Hub& hub);

  RunSelection selection{view_};

  // Sets the list of runs; cheap if it is unchanged.
  void list(std::vector<ListedRun> runs);
  // Takes over finished background work and continues it once the table was requested. Returns whether something shown
  // has changed.
  bool poll();
  bool busy() const { return asked_ && (dirty_ || made_.waits() || unread() || average_.busy()); }
  std::string activity() const;
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

  // Requests the table of a task; the first call starts reading files.
  void look(const std::string& task);
  const TableChoices& choices() const { return choices_; }
  void set_filter(const std::string& filter);
  void set_fold(bool fold);
  void set_archived(bool shown);
  void set_all_tasks(bool all);
  bool all_tasks() const { return all_tasks_; }
  void set_n(std::int64_t n);
  void set_baseline(const std::string& run);
  // Sets the axes of the plot (PlotChoices).
  void set_plot(const std::string& y, const std::string& x);
  // Sorts by this column; the second call reverses the order, the third restores newest first.
  void sort_by(const std::string& key);
  void show_column(const std::string& key, bool shown);
  // Shows the default columns.
  void reset_columns();
  // Restores the columns, the order and the folding of an earlier start.
  void restore(std::vector<std::string> columns, const std::string& sort, bool fold);
  std::string sort_text() const;  // the `sort` of restore()

  // Null until the first table is ready.
  std::shared_ptr<const TableView> view() const { return view_; }

  // Averages these runs in the background, as `pairs --batch ensemble` does, into a new folder among the runs; a
  // message reports the result.
  void average(const std::vector<std::string>& runs);
  // The outcome of the last average, as a sentence, until it is dismissed; "" if there is none.
  const FileJob::Outcome& averaged() const { return averaged_; }
  std::string averaged_text() const;
  void dismiss_averaged() { averaged_ = {}; }

 private:
  struct Made {
    TableChoices choices;
    std::shared_ptr<const TableView> view;
    std::uint64_t list = 0;  // the list that it shows
  };
  bool unread() const { return view_ && view_->unread > 0; }
  void change(const std::function<void(TableChoices&)>& set);
  void request();

  Hub& hub_;
  std::shared_ptr<FactStore> facts_ = std::make_shared<FactStore>();
  std::shared_ptr<const std::vector<ListedRun>> runs_ = std::make_shared<const std::vector<ListedRun>>();
  std::uint64_t list_ = 0;
  TableChoices choices_;
  std::string task_;
  bool all_tasks_ = false, asked_ = false, dirty_ = false;
  Latest<Made> made_;
  FileJob::Outcome averaged_;
  FileJob average_;
};

}  // namespace pairs::model
