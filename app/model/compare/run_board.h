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
#include "core/base/latest.h"

namespace pairs::model {

// The runs of a task, or of all tasks, as the Compare tab lists them: a table that is filtered, folded and sorted in
// the background, the rows that are chosen in it, and the plot of a score against what runs differ in. Reads the files
// of runs once it is looked at, a few at a time, so that the table fills while it is shown.
class RunBoard {
 public:
  explicit RunBoard(Hub& hub);

  // What the list of runs holds now; cheap where it is the same.
  void list(std::vector<ListedRun> runs);
  // Takes over what background work has finished, and goes on with it once something was asked of the table. True when
  // something shown has changed.
  bool poll();
  bool busy() const { return asked_ && (dirty_ || made_.waits() || unread() || average_.busy()); }
  std::string activity() const;
  // Waits until nothing runs or `seconds` have passed; true when nothing does. For tests and screenshots.
  bool wait(double seconds);

  // Asks for the table: files are read from the first call on.
  void look(const std::string& task);
  const TableChoices& choices() const { return choices_; }
  void set_filter(const std::string& filter);
  void set_fold(bool fold);
  void set_archived(bool shown);
  void set_all_tasks(bool all);
  bool all_tasks() const { return all_tasks_; }
  void set_n(std::int64_t n);
  void set_baseline(const std::string& run);
  // What of the listed runs is drawn against what (PlotChoices).
  void set_plot(const std::string& y, const std::string& x);
  // By this column; again: the other way round, and a third time: newest first.
  void sort_by(const std::string& key);
  void show_column(const std::string& key, bool shown);
  // Those that are shown by themselves.
  void reset_columns();
  // What is remembered between starts: columns, sort, fold.
  void restore(std::vector<std::string> columns, const std::string& sort, bool fold);
  std::string sort_text() const;  // as restore() takes it

  // Null until it was made for the first time.
  std::shared_ptr<const TableView> view() const { return view_; }

  // Rows that are chosen, by run, and those of them that the table lists: what is done with many is done with these.
  const std::set<std::string>& chosen() const { return chosen_; }
  std::vector<std::string> chosen_listed() const;
  // A click: this row alone; with Ctrl it is added or taken out; with Shift all rows from the last clicked one to it.
  enum class Click { alone, toggled, range };
  void choose(const TableRow& row, Click click);
  void choose_all();
  void choose_none() { chosen_.clear(); }

  // Makes the mean of these runs in the background, as `pairs --batch ensemble` does, in a new folder among the runs;
  // a message tells how it went.
  void average(const std::vector<std::string>& runs);
  // How the last one went, a sentence, until it is dismissed; "" where there is nothing to say.
  const FileJob::Outcome& averaged() const { return averaged_; }
  std::string averaged_text() const;
  void dismiss_averaged() { averaged_ = {}; }

  // Rows with these runs alone, as a click on their curve chooses them.
  void choose_runs(const std::vector<std::string>& runs) { chosen_ = {runs.begin(), runs.end()}; }

  // The runs whose row or curve the mouse is on; told anew in each frame, and known from the next on.
  void hover(const std::vector<std::string>& runs) { hovered_next_.insert(runs.begin(), runs.end()); }
  const std::set<std::string>& hovered() const { return hovered_; }
  void turn_frame();

 private:
  struct Made {
    TableChoices choices;
    std::shared_ptr<const TableView> view;
    std::uint64_t list = 0;  // of which list it was made
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
  std::shared_ptr<const TableView> view_;
  std::set<std::string> chosen_;
  std::string last_clicked_;  // the first run of that row
  std::set<std::string> hovered_, hovered_next_;
  Latest<Made> made_;
  FileJob::Outcome averaged_;
  FileJob average_;
};

}  // namespace pairs::model
