#include "app/kinds/missing_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::int64_t kRowsAtOnce = 1 << 16;

// Which observations have a value that is not finite -> [N] bool.
torch::Tensor broken_block(const torch::Tensor& x) {
  return torch::isfinite(x).logical_not().reshape({x.size(0), -1}).any(1);
}

torch::Tensor broken_observations(const Observations& x) {
  if (!x.is_ragged()) return broken_block(x.block());
  const torch::Tensor sizes = x.offsets().diff().to(torch::kCPU, torch::kInt64);
  torch::Tensor count = torch::zeros({x.count()}, torch::kInt64);
  if (x.rows().size(0) > 0)
    count.index_add_(0, torch::arange(x.count()).repeat_interleave(sizes),
                     broken_block(x.rows()).to(torch::kCPU, torch::kInt64));
  return count > 0;
}

// "column x2 of row 3", "row 3".
std::string place_text(const torch::Tensor& x, std::int64_t row, const std::vector<std::string>& columns) {
  const std::string of_row = fmt::format("row {}", count_text(row + 1));
  if (x.dim() != 2 || static_cast<std::size_t>(x.size(1)) != columns.size()) return of_row;
  const auto column = torch::isfinite(x[row]).logical_not().to(torch::kInt64).argmax().item<std::int64_t>();
  return fmt::format("column {} of {}", printable(columns[static_cast<std::size_t>(column)]), of_row);
}

[[noreturn]] void fail_none_whole(const std::string& where, std::int64_t rows) {
  fail("{}: each of {} rows has a value that is missing or not finite, so that none is left", where, count_text(rows));
}

}  // namespace

const char* missing_word(Missing missing) {
  return missing == Missing::drop ? "drop" : "refuse";
}

Missing missing_choice(const std::string& word, const std::string& option) {
  for (const Missing one : {Missing::refuse, Missing::drop})
    if (word == missing_word(one)) return one;
  fail_usage("{} is \"refuse\" or \"drop\", not {}", option, printable(word, 100));
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

void fail_missing(const std::string& where, std::int64_t count, std::int64_t rows, const std::string& first) {
  fail(
      "{}: {} of {} {} a value that is missing or not finite, the first in {}; repair {}, or leave {} out with "
      "--missing drop",
      where, count_text(count), rows == 1 ? "1 row" : count_text(rows) + " rows", count == 1 ? "has" : "have", first,
      count == 1 ? "it" : "them", count == 1 ? "it" : "them");
}

std::string dropped_text(std::int64_t dropped, std::int64_t rows) {
  return fmt::format(
      "{} of {} observations of the set {} a value that is missing or not finite and {} left out; the posterior "
      "assumes that values are missing at random",
      count_text(dropped), count_text(rows), dropped == 1 ? "has" : "have", dropped == 1 ? "is" : "are");
}

torch::Tensor keep_whole(const torch::Tensor& x, Missing missing, const std::string& where, std::int64_t& dropped,
                         const std::vector<std::string>& columns) {
  dropped = 0;
  if (missing == Missing::keep || x.numel() == 0 || x.is_complex()) return x;
  const torch::Tensor broken = broken_block(x);
  const auto count = broken.sum().item<std::int64_t>();
  if (count == 0) return x;
  if (missing == Missing::refuse)
    fail_missing(where, count, x.size(0),
                 place_text(x, broken.to(torch::kInt64).argmax().item<std::int64_t>(), columns));
  if (count == x.size(0)) fail_none_whole(where, count);
  dropped = count;
  return x.index_select(0, broken.logical_not().nonzero().squeeze(1));
}

Observations keep_whole(const Observations& x, Missing missing, const std::string& where, std::int64_t& dropped,
                        const std::vector<std::string>& columns) {
  dropped = 0;
  if (missing == Missing::keep || x.count() == 0) return x;
  if (!x.is_ragged()) return keep_whole(x.block(), missing, where, dropped, columns);
  const torch::Tensor broken = broken_observations(x);
  const auto count = broken.sum().item<std::int64_t>();
  if (count == 0) return x;
  if (missing == Missing::refuse)
    fail_missing(where, count, x.count(),
                 fmt::format("observation {}", count_text(broken.to(torch::kInt64).argmax().item<std::int64_t>() + 1)));
  if (count == x.count()) fail_none_whole(where, count);
  dropped = count;
  return x.pick(broken.logical_not().nonzero().squeeze(1));
}

WholeRows::WholeRows(std::unique_ptr<TableFile> table, const std::vector<std::size_t>& places)
    : TableFile(table->where()), table_(std::move(table)) {
  columns_ = table_->columns();
  named_ = table_->named();
  std::vector<double> values;
  for (std::int64_t first = 0; first < table_->rows(); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, table_->rows() - first);
    values.resize(static_cast<std::size_t>(count) * places.size());
    table_->read_with_missing(first, count, places, values.data());
    for (std::int64_t i = 0; i < count; ++i)
      if (!all_finite(values.data() + static_cast<std::size_t>(i) * places.size(), places.size()))
        left_out_.push_back(first + i);
  }
  rows_ = table_->rows() - dropped();
  if (rows_ == 0) fail_none_whole(where(), table_->rows());
}

// The k-th omitted row comes after left_out_[k] - k kept rows.
std::int64_t WholeRows::number(std::int64_t row) const {
  std::size_t low = 0, high = left_out_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (left_out_[middle] - static_cast<std::int64_t>(middle) <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return row + static_cast<std::int64_t>(low);
}

void WholeRows::read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) {
  std::vector<double> values;
  auto next = std::lower_bound(left_out_.begin(), left_out_.end(), number(first));
  const std::int64_t end = number(first + count - 1) + 1;
  for (std::int64_t from = number(first); from < end; from += kRowsAtOnce) {
    const std::int64_t rows = std::min(kRowsAtOnce, end - from);
    values.resize(static_cast<std::size_t>(rows) * places.size());
    table_->read_with_missing(from, rows, places, values.data());
    for (std::int64_t i = 0; i < rows; ++i) {
      if (next != left_out_.end() && *next == from + i) {
        ++next;
        continue;
      }
      const double* const row = values.data() + static_cast<std::size_t>(i) * places.size();
      out = std::copy(row, row + places.size(), out);
    }
  }
}

}  // namespace pairs
