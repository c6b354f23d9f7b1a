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
#include "app/model/posterior/posterior.h"
#include "app/posterior/asked_sets.h"
#include "app/posterior/sets_output.h"
#include "core/report/figure.h"

namespace pairs::model {

// Rows in the order of the file, shared with the thread that adds to them.
using SetRows = std::vector<std::shared_ptr<const SetRow>>;

// Which sets, asked of which run.
struct SetTableRequest {
  std::uint64_t id = 0;  // of other sets, or another run: another number
  Tasks tasks;
  std::string run, data, device = "auto";
  AskedSets sets;
};

// What there is of them.
struct SetTableResult {
  std::uint64_t version = 0, id = 0;
  std::shared_ptr<const Task> task;     // null until the run is loaded
  std::shared_ptr<const SetRows> rows;  // null before the first
  std::int64_t count = 0;               // sets that there are
  bool done = false;                    // all are answered
  std::string left_out;                 // what stands beside them (left_out_text)
  std::string failure;                  // why no more come, a sentence
  nlohmann::json told;                  // as SetsHead has it
  SeriesRole role = SeriesRole::pairs;  // of the run's strategy
};

// The background half of the table: answers set after set. `work` belongs to one thread.
class SetTableEngine : public ResultBoard<SetTableResult> {
 public:
  using ResultBoard::ResultBoard;
  void work(const SetTableRequest& request, const LatestWorker::Stale& stale);
};

// A column of the table.
struct SetColumn {
  enum class Kind { name, n, mean, sd, interval, exact_mean, exact_sd, kl, percentile, check };
  Kind kind;
  std::size_t target = 0;  // of mean, sd and interval, and of those of the exact posterior
  std::string title = {}, meaning = {};
  bool number() const { return kind != Kind::name && kind != Kind::check; }
};

// The posteriors of many sets of one file or folder as a table: what `infer --group` says of them, worked out on a
// thread and with weights of its own, shown as the rows come. All members belong to the window's thread.
class SetTable {
 public:
  // Sets that are drawn beside the shown one at most.
  static constexpr std::size_t most_beside = 4;
  // Targets that have columns; files hold all.
  static constexpr std::size_t most_targets = 12;

  explicit SetTable(Hub& hub);

  // Asks the run about these sets. What is asked already stays, with what was chosen.
  void open(const std::string& run, AskedSets sets);
  // Asks the run again, as of other weights, where it is the one that was asked.
  void reload(const std::string& run);
  void close();
  // Asks about the same sets with their exact posteriors or without. Why there are none, a clause; "" where there are
  // or nobody knows yet.
  void set_exact(bool exact);
  std::string no_exact() const;
  bool is_open() const { return open_; }
  const AskedSets& sets() const { return request_.sets; }

  const SetTableResult& result() const { return result_; }
  std::size_t rows() const { return result_.rows ? result_.rows->size() : 0; }
  const SetRow& row(std::size_t k) const { return *(*result_.rows)[k]; }
  std::int64_t failed() const { return failed_; }
  // "2,048 of 10,000 sets", "10,000 sets, 3 not answered".
  std::string progress_text() const;

  const std::vector<SetColumn>& columns() const { return columns_; }
  // What stands in a cell; "–" where a set was not answered.
  std::string cell(const SetRow& row, const SetColumn& column) const;
  // Sorts by a column, the same again the other way round. At first rows stand as in the file.
  void sort_by(std::size_t column);
  std::size_t sorted() const { return sort_; }  // a column, or columns().size()
  bool down() const { return down_; }
  // The rows' numbers from the top.
  const std::vector<std::size_t>& order();
  void set_interval(IntervalKind kind);

  // Chooses the row at `place` from the top. Beside the first stand none that were not answered, and no more than can
  // be told apart.
  void choose(std::size_t place, SetClick click);
  // In the place of the first chosen row stands the set of this name; without such a row nothing is chosen.
  void choose_instead(const std::string& name);
  // Rows that are chosen, the shown one first.
  const std::vector<std::size_t>& chosen() const { return chosen_; }
  bool is_chosen(std::size_t row) const;

  // Mean and interval of each set as they stand, the first so many; null where none is answered.
  std::shared_ptr<const Figure> forest();

  // Writes the rows as `infer --out` does: .csv, .json, .npz or .tex. Why it cannot be, a sentence in the words of the
  // window, or "".
  std::string save(const std::filesystem::path& file);
  FileJob& job() { return job_; }

  // Takes over rows that came; true when there are some.
  bool poll();
  bool busy() const { return background_.busy() || job_.busy(); }
  bool wait(double seconds) { return background_.wait(seconds) && job_.wait(seconds); }
  // Whether rows are there that poll() has not taken.
  bool fresh() const { return background_.fresh(); }

 private:
  void begin();
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
