#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/compare/run_filter.h"
#include "app/model/compare/run_record.h"
#include "app/model/compare/score_plot.h"
#include "app/scores/score_list.h"

namespace pairs::model {

// What a person chose of the table of runs.
struct TableChoices {
  std::string task = {};    // "": of all tasks
  std::string filter = {};  // RunFilter
  bool fold = false;        // runs that differ in their seed alone are one row
  bool archived = false;    // are listed, too
  std::int64_t n = 0;       // of scores; 0: the largest at which many were scored
  std::string sort = {};    // a column's key; "": newest first
  bool down = false;        // the largest first
  // Columns put in ("+gap") and taken out ("-note") of those that are shown by themselves.
  std::vector<std::string> columns = {};
  std::string plot_x = {}, plot_y = {};  // PlotChoices
  std::string baseline = {};             // the run that differences are taken from; "": none
  friend bool operator==(const TableChoices&, const TableChoices&) = default;
};

struct RunTableColumn {
  std::string key, title, meaning;
  bool number = false;   // right-aligned
  bool setting = false;  // one of the runs'
  bool shown = false;
  bool by_itself = false;  // shown unless it is taken out
};

// A run, or those that differ in their seed alone.
struct TableRow {
  std::vector<std::string> runs;  // ListedRun::run, in the order of the list
  std::string name;
  SeriesRole role = SeriesRole::other;
  // In the order of TableView::visible. error: of scores and differences a standard error, of a folded row that over
  // test sets and seeds; of what a folded row has cost the sd over its runs.
  std::vector<RunValue> cells;
  std::vector<std::string>
      notes;               // what a cell leaves unsaid: why it is empty, of how many runs its mean is; "" mostly
  std::size_t hidden = 0;  // of such runs that the filter leaves out
  bool baseline = false;   // it, or one of its runs
};

// The table as it is drawn. Immutable.
struct TableView {
  std::vector<RunTableColumn> columns;  // all that there are, also those that are not shown
  std::vector<TableRow> rows;
  std::vector<std::string> keys;       // that a filter may name
  std::vector<std::int64_t> sizes;     // that any run was scored at
  std::vector<std::string> scores;     // keys of scores that any run has
  std::int64_t n = 0;                  // of the scores shown; 0: there are none
  std::string filter_problem;          // a sentence; then nothing is filtered
  std::string sentence;                // how many there are, and which are not listed and why
  std::string baseline_name;           // "" without one
  std::string more_columns;            // a sentence where some have no room
  std::vector<std::string> listed;     // the runs in the rows
  std::size_t unread = 0;              // runs whose files have not been read yet
  PlotChoices plotted;                 // what is drawn: the choices, or what stands for them
  ScorePlot plot;                      // of the runs in the rows
  std::vector<std::string> plot_keys;  // what a score can be drawn against, "" for N
  std::vector<std::size_t> visible;    // indices of the columns that are shown, in their order
};

// An example of a filter that the table knows: a score that its runs have, and words.
std::string filter_example(const TableView& view);

// As many as a table of the window can hold.
inline constexpr std::size_t kMostColumns = 60;

// The table of these runs. `kept`: scores that are on no disk, by checksum of weights and data.
using KeptLookup = std::function<std::shared_ptr<const Metrics>(const std::string& weights, const std::string& data)>;
std::shared_ptr<const TableView> make_table(const std::vector<RunRecord>& runs, const TableChoices& choices,
                                            const KeptLookup& kept = {});

}  // namespace pairs::model
