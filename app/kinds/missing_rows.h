#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/sets/observations.h"
#include "tasks/table_file.h"

namespace pairs {

// The treatment of an observation with a missing value, masked or not finite: its set is rejected, or used without it.
// `keep` passes it to a later step that decides.
enum class Missing { refuse, drop, keep };
// "refuse" or "drop".
const char* missing_word(Missing missing);
// Parses that word, the argument of `option`. Throws a usage Error.
Missing missing_choice(const std::string& word, const std::string& option);

// Whether all `count` values are finite.
bool all_finite(const double* values, std::size_t count);

// Throws the Error about `count` of `rows` rows with a missing value; `first`: "column x of row 3".
[[noreturn]] void fail_missing(const std::string& where, std::int64_t count, std::int64_t rows,
                               const std::string& first);
// A sentence on the number of omitted observations out of the `rows` of a set.
std::string dropped_text(std::int64_t dropped, std::int64_t rows);

// The observations with only finite values. Throws Error if others must be refused, and if none remains; `dropped`
// becomes the number of omitted ones. `columns` names the values of an observation in errors.
torch::Tensor keep_whole(const torch::Tensor& x, Missing missing, const std::string& where, std::int64_t& dropped,
                         const std::vector<std::string>& columns = {});
Observations keep_whole(const Observations& x, Missing missing, const std::string& where, std::int64_t& dropped,
                        const std::vector<std::string>& columns = {});

// The rows of a table whose values at `places` are all finite, as a table. Reads the table once to find them; memory
// grows with the number of omitted rows.
class WholeRows final : public TableFile {
 public:
  // Throws Error if no row remains.
  WholeRows(std::unique_ptr<TableFile> table, const std::vector<std::size_t>& places);

  std::int64_t dropped() const { return static_cast<std::int64_t>(left_out_.size()); }
  // The index of a row in the original table.
  std::int64_t number(std::int64_t row) const;

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override;

  std::unique_ptr<TableFile> table_;
  std::vector<std::int64_t> left_out_;  // indices of the omitted rows, ascending
};

}  // namespace pairs
