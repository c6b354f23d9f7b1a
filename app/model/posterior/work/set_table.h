#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/background.h"
#include "app/model/hub/file_job.h"
#include "app/model/hub/hub.h"
#include "app/model/hub/result_board.h"
#include "app/model/posterior/shown/shown_posterior.h"
#include "app/posterior/files/sets_output.h"
#include "app/posterior/many/asked_sets.h"
#include "core/report/figure.h"

namespace pairs::model {

// Rows in file order, shared with the thread that appends to them.
using SetRows = std::vector<std::shared_ptr<const SetRow>>;

// The sets and the run that evaluates them, which is the question's.
struct SetTableRequest {
  std::uint64_t id = 0;  // differs for other sets or another run
  Tasks tasks;
  std::string data, device = "auto";
  AskedSets sets;
};

// The results so far.
struct SetTableResult {
  std::uint64_t version = 0, id = 0;
  std::shared_ptr<const Task> task;     // null until the run is loaded
  std::shared_ptr<const SetRows> rows;  // null before the first row
  std::int64_t count = 0;               // number of sets
  bool refines = false;                 // whether posteriors may be those of a learned likelihood,
  std::int64_t refined = 0;             // and of how many sets this is decided
  bool done = false;                    // whether all sets are done
  std::string left_out;                 // what was left out (left_out_text)
  std::string failure;                  // why the work stopped, a sentence
  nlohmann::json reported;              // as in SetsHead
  SeriesRole role = SeriesRole::pairs;  // color of the run's strategy
};

// The background part of the table: evaluates set after set, and then once more where a learned likelihood may refine
// their posteriors, which takes longer. `work` belongs to one thread.
class SetTableEngine : public ResultBoard<SetTableResult> {
 public:
  using ResultBoard::ResultBoard;
  void work(const SetTableRequest& request, const LatestWorker::Stale& stale);
};

// A column of the table.
struct SetColumn {
  enum class Kind {
    name,
    n,
    mean,
    sd,
    interval,
    refined_mean,
    refined_sd,
    exact_mean,
    exact_sd,
    source,
    kl,
    percentile,
    check
  };
  Kind kind;
  std::size_t target = 0;  // for mean, sd and interval, also of the refined and the exact posterior
  std::string title = {}, meaning = {};
  bool number() const { return kind != Kind::name && kind != Kind::source && kind != Kind::check; }
};

// The posteriors of many sets in one file or folder as a table, as in `infer --group`, computed on a thread with its
// own weights and shown as rows arrive. All members belong to the window's thread.
class SetTable {
 public:
  // Maximum number of sets drawn with the shown one.
  static constexpr std::size_t most_shown_with = 4;
  // Maximum number of targets with columns; files contain all targets.
  static constexpr std::size_t most_targets = 12;

  explicit SetTable(Hub& hub);

  // Starts to evaluate these sets. Does nothing for the same sets and run, and then keeps the selection.
  void open(AskedSets sets);
  // Evaluates again if this run is the current one, e.g. after a change of weights.
  void reload(const std::string& run);
  void close();
  // Evaluates the same sets with or without exact posteriors. no_exact: a clause on why there are none; "" if there
  // are, or if unknown.
  void set_exact(bool exact);
  std::string no_exact() const;
  bool is_open() const { return open_; }
  const AskedSets& sets() const { return request_.sets; }

  const SetTableResult& result() const { return result_; }
  std::size_t rows() const { return result_.rows ? result_.rows->size() : 0; }
  const SetRow& row(std::size_t k) const { return *(*result_.rows)[k]; }
  std::int64_t failed() const { return failed_; }
  // "2,048 of 10,000 sets", "10,000 sets, 3 not answered", "10,000 sets, 512 of them refined where that is better".
  std::string progress_text() const;

  const std::vector<SetColumn>& columns() const { return columns_; }
  // The text of a cell; "–" if the set has no posterior.
  std::string cell(const SetRow& row, const SetColumn& column) const;
  // Sorts by a column; a second call reverses the order. Initially, rows are in file order.
  void sort_by(std::size_t column);
  std::size_t sorted() const { return sort_; }  // a column, or columns().size()
  bool down() const { return down_; }
  // Indices of the rows from the top.
  const std::vector<std::size_t>& order();
  void set_interval(IntervalKind kind);

  // Selects the row at `place` from the top. Further rows must have a posterior, and their number is limited.
  void choose(std::size_t place, SetClick click);
  // Replaces the first selected row by the set of this name; without one, clears the selection.
  void choose_instead(const std::string& name);
  // Selected rows, the shown one first.
  const std::vector<std::size_t>& chosen() const { return chosen_; }
  bool is_chosen(std::size_t row) const;

  // Mean and interval of each set in the current order, up to a maximum number; null if there are none.
  std::shared_ptr<const Figure> forest();

  // Writes the rows as `infer --out` does: .csv, .json, .npz or .tex. Returns why it cannot, a sentence in the window's
  // words, or "".
  std::string save(const std::filesystem::path& file);
  FileJob& job() { return job_; }

  // Takes over new rows; returns whether there were any.
  bool poll();
  bool busy() const { return background_.busy() || job_.busy(); }
  bool wait(double seconds) { return background_.wait(seconds) && job_.wait(seconds); }
  // Whether there are rows that poll() has not taken.
  bool fresh() const { return background_.fresh(); }

 private:
  void begin();
  bool shows_both() const;  // the run's own numbers, and the refined ones in columns of their own
  void make_columns();
  void sort();

  Hub& hub_;
  bool open_ = false;
  SetTableRequest request_;
  SetTableResult result_;
  IntervalKind interval_ = IntervalKind::central;
  std::vector<SetColumn> columns_;
  std::size_t sort_ = 0, counted_ = 0;
  bool down_ = false, stale_order_ = true;
  std::int64_t failed_ = 0;
  std::vector<std::size_t> order_, chosen_;
  std::shared_ptr<const Figure> forest_;
  FileJob job_;
  Background<SetTableEngine, SetTableRequest> background_;  // last: ends first
};

}  // namespace pairs::model
