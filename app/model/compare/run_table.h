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

// The user's choices for the table of runs.
struct TableChoices {
  std::string task = {};    // "": all tasks
  std::string filter = {};  // RunFilter
  bool fold = false;        // runs that differ only in the seed share a row
  bool archived = false;    // whether archived runs are listed
  std::int64_t n = 0;       // set size of the scores; 0: the largest with many scored runs
  std::string sort = {};    // a column's key; "": newest first
  bool down = false;        // in descending order
  // Columns added to ("+gap") and removed from ("-note") the default ones.
  std::vector<std::string> columns = {};
  std::string plot_x = {}, plot_y = {};  // PlotChoices
  std::string baseline = {};             // the run that is subtracted; "": none
  friend bool operator==(const TableChoices&, const TableChoices&) = default;
};

struct RunTableColumn {
  std::string key, title, meaning;
  bool number = false;   // right-aligned
  bool setting = false;  // a setting of the runs
  bool shown = false;
  bool by_itself = false;  // shown by default
};

// A run, or all runs that differ only in the seed.
struct TableRow {
  std::vector<std::string> runs;  // ListedRun::run, in the order of the list
  std::string name;
  SeriesRole role = SeriesRole::other;
  // In the order of TableView::visible. error: the standard error of a score or difference (in a folded row, over test
  // sets and seeds); for the cost of a folded row, the standard deviation over its runs.
  std::vector<RunValue> cells;
  std::vector<std::string> notes;  // tips of the cells: why one is empty, the number of runs in its mean; mostly ""
  std::size_t hidden = 0;          // number of its runs that the filter excludes
  bool baseline = false;           // whether it contains the baseline run
};

// The table as shown. Immutable.
struct TableView {
  std::vector<RunTableColumn> columns;  // all columns, including hidden ones
  std::vector<TableRow> rows;
  std::vector<std::string> keys;       // keys that a filter may use
  std::vector<std::int64_t> sizes;     // set sizes at which any run has scores
  std::vector<std::string> scores;     // keys of the scores that any run has
  std::int64_t n = 0;                  // set size of the scores shown; 0: no scores
  std::string filter_problem;          // error of the filter, which is then not applied
  std::string sentence;                // number of runs, and which are not listed and why
  std::string baseline_name;           // "" without one
  std::string more_columns;            // a note if some columns do not fit
  std::vector<std::string> listed;     // the runs in the rows
  std::size_t unread = 0;              // runs whose files have not been read yet
  PlotChoices plotted;                 // the axes drawn: the choices or their defaults
  ScorePlot plot;                      // of the runs in the rows
  std::vector<std::string> plot_keys;  // possible horizontal axes; "" for N
  std::vector<std::size_t> visible;    // indices of the shown columns, in order
};

// An example of a filter, with a score that the runs have.
std::string filter_example(const TableView& view);

// The maximum number of columns that the window can show.
inline constexpr std::size_t kMostColumns = 60;

// Makes the table of these runs. `kept`: finds scores that are not on disk, by checksum of weights and data.
using KeptLookup = std::function<std::shared_ptr<const Metrics>(const std::string& weights, const std::string& data)>;
std::shared_ptr<const TableView> make_table(const std::vector<RunRecord>& runs, const TableChoices& choices,
                                            const KeptLookup& kept = {});

}  // namespace pairs::model
