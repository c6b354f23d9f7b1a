#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "app/posterior/question/set_choice.h"

namespace pairs::model {

struct PosteriorState;

// The observed set of the Posterior tab: one from the prior, one with values set by hand, a file's, or an item's. For a
// file, N becomes its size, up to the largest N in training; the file stays its task's set while other tasks are shown.
class PosteriorSet {
 public:
  explicit PosteriorSet(PosteriorState& state) : state_(state) {}

  // The set `index` from the prior.
  void choose_index(std::int64_t index);
  std::int64_t index() const;
  // Sets a value of θ or ψ by hand: parameter `k` of the scene.
  void set_parameter(std::size_t k, double value);
  // Sets condition k of the set, simulated or from a file.
  void set_condition(std::size_t k, double value);
  // A file, or the text that names an item. `columns`: the table's columns for those of the task (SetChoice::columns);
  // empty: the columns of the same names.
  void open_file(const std::filesystem::path& path, std::vector<std::string> columns = {});
  // Opens a part of a large file, as large as the run can use: the first observations, or those that this seed draws.
  void open_part(SetChoice choice, std::optional<std::uint64_t> seed);
  // Uses the observations of the shown file that this seed draws; without a seed, the first ones.
  void choose_random(std::optional<std::uint64_t> seed);
  // Sets the axis of the shown item that points up, one of the scene's `ups`.
  void set_up(const std::string& up);
  // Sets how observations with a missing value are treated, in the shown or last failed file and in files opened later.
  void set_missing(Missing missing);
  Missing missing() const;
  // Returns from a file, followed or not, to the simulated set.
  void simulate();

  // Why the last file could not be read: a sentence or "".
  const std::string& failure() const;
  void dismiss_failure();
  // The last file that failed because its columns are not the task's. Returned once.
  struct OtherColumns {
    std::filesystem::path file;
    std::vector<std::string> columns, needed;  // columns of the file; columns of the task
    std::string sentence;
  };
  std::optional<OtherColumns> take_other_columns();
  // The last table that failed as one set but may hold many sets, by one of the `spare` columns. Read as many sets,
  // only those with a fault are lost. Returned once.
  struct BrokenTable {
    std::filesystem::path file;
    std::vector<std::string> spare, columns;  // columns: those chosen for the observations
    std::string sentence;
  };
  std::optional<BrokenTable> take_broken_table();
  // The last file with more observations than the run can use, with the sentence of `infer`. Returned once.
  struct LargeSet {
    SetChoice choice;
    std::int64_t held = 0, most = 0;
    std::vector<std::string> spare;  // columns that may name each row's set
    std::string sentence;
  };
  std::optional<LargeSet> take_large_set();

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
