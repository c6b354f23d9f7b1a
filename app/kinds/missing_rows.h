#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/sets/observations.h"
#include "tasks/table_file.h"

namespace pairs {

// What becomes of an observation of which a needed value is missing, masked or not finite: its set is refused, or
// answered without it. `keep` hands it on to a later step that decides.
enum class Missing { refuse, drop, keep };
// "refuse" or "drop".
const char* missing_word(Missing missing);
// The choice of that word, as `option` was given it. Throws a usage Error.
Missing missing_choice(const std::string& word, const std::string& option);

// Whether all of so many values are finite.
bool all_finite(const double* values, std::size_t count);

// Throws the Error of `count` of `rows` rows that lack a value; `first`: "column x of row 3".
[[noreturn]] void fail_missing(const std::string& where, std::int64_t count, std::int64_t rows,
                               const std::string& first);
// The sentence on so many observations that were left out of the `rows` of a set.
std::string dropped_text(std::int64_t dropped, std::int64_t rows);

// The observations of which all values are finite. Throws Error where others are refused, and where none is left;
// `dropped` becomes the number of those that are left out. `columns` names the values of an observation in errors.
torch::Tensor keep_whole(const torch::Tensor& x, Missing missing, const std::string& where, std::int64_t& dropped,
                         const std::vector<std::string>& columns = {});
Observations keep_whole(const Observations& x, Missing missing, const std::string& where, std::int64_t& dropped,
                        const std::vector<std::string>& columns = {});

// The rows of a table of which all values at `places` are finite, as a table of its own. The table is read once for it;
// memory goes with the rows that are left out.
class WholeRows final : public TableFile {
 public:
  // Throws Error where no row is left.
  WholeRows(std::unique_ptr<TableFile> table, const std::vector<std::size_t>& places);

  std::int64_t dropped() const { return static_cast<std::int64_t>(left_out_.size()); }
  // The number of a row in the table that it comes from.
  std::int64_t number(std::int64_t row) const;

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override;

  std::unique_ptr<TableFile> table_;
  std::vector<std::int64_t> left_out_;  // numbers of the rows, ascending
};

}  // namespace pairs
