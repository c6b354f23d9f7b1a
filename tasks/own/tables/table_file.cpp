#include "tasks/table_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/files/gzip.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/file_format.h"
#include "tasks/own/tables/column_names.h"
#include "tasks/own/tables/formats.h"
#include "tasks/own/tables/parts_table.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

struct TableFormat {
  const char* ending;
  std::unique_ptr<TableFile> (*open)(const fs::path& path, const std::string& where, const TableChoice& choice);
};
constexpr TableFormat kFormats[] = {
    {".parquet", open_arrow_table}, {".arrow", open_arrow_table}, {".feather", open_arrow_table},
    {".arrows", open_arrow_table},  {".h5", open_hdf5_table},     {".hdf5", open_hdf5_table},
    {".hdf", open_hdf5_table},      {".fits", open_fits_table},   {".fit", open_fits_table},
    {".pq", open_arrow_table},      {".ipc", open_arrow_table},   {".fts", open_fits_table},
};

ColumnNames names_of(const TableFile& table) {
  return {table.columns(), table.named(), table.any_case()};
}

// Refuses names without a column, with the reason.
[[noreturn]] void refuse_names(const TableFile& table, const std::vector<std::string>& wanted) {
  const ColumnNames names = names_of(table);
  const std::vector<std::size_t> x = names.find("x");
  const std::string needed =
      fmt::format("{} {} needed", fmt::join(wanted, ", "), wanted.size() > 1 ? "are, in any order," : "is");
  if (x.size() > 1 && !names.called_twice("x"))
    throw ColumnsError(
        fmt::format("{} has a column x of {} numbers per row, but {}; choose among {} to {} with --columns",
                    table.where(), x.size(), needed, table.columns()[x.front()].name, table.columns()[x.back()].name),
        table.names());
  throw ColumnsError(fmt::format("{} has the columns {}, but {}; rename them, or choose others with --columns",
                                 table.where(), printable(names.text(), 1000), needed),
                     table.names());
}

std::vector<std::size_t> places_by_name(const TableFile& table, const std::vector<std::string>& wanted,
                                        std::size_t numbers) {
  const ColumnNames names = names_of(table);
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const std::vector<std::size_t> found = names.find(name);
    if (found.empty()) refuse_names(table, wanted);
    if (names.called_twice(name))
      throw ColumnsError(
          fmt::format("{} has more than one column {}; name its columns apart", table.where(), printable(name)),
          table.names());
    if (found.size() > 1 && numbers == wanted.size())
      throw ColumnsError(
          fmt::format("{}: column {} holds {} numbers per row, where one is needed; choose one of them, such as {}, "
                      "with --columns",
                      table.where(), printable(name), found.size(), printable(table.columns()[found.front()].name)),
          table.names());
    places.insert(places.end(), found.begin(), found.end());
  }
  if (places.size() != numbers)
    throw ColumnsError(
        fmt::format("{}: {} {} {} {} per row, where {} are needed; choose others with --columns", table.where(),
                    wanted.size() > 1 ? "columns" : "column", printable(fmt::format("{}", fmt::join(wanted, ", "))),
                    wanted.size() > 1 ? "hold" : "holds",
                    places.size() == 1 ? "one number" : fmt::format("{} numbers", places.size()), numbers),
        table.names());
  return places;
}

// The column that marks missing values of another, as Astropy writes it: "x2.mask" for "x2"; for x also "mask". None if
// there is none.
std::optional<std::size_t> mask_of(const std::vector<TableColumn>& columns, std::size_t place) {
  const TableColumn& one = columns[place];
  const std::string bare = one.vector.empty() ? one.name : one.vector;
  const std::string number = !one.vector.empty() && one.name.starts_with(bare) ? one.name.substr(bare.size()) : "";
  std::vector<std::string> called = {bare + ".mask", bare + ".mask" + number};
  if (bare == "x") called.insert(called.end(), {"mask", "mask" + number});
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (k != place && columns[k].other.empty() &&
        std::find(called.begin(), called.end(), columns[k].name) != called.end())
      return k;
  return std::nullopt;
}

// A table in which some columns mask others: masked values are missing.
class MaskedTable final : public TableFile {
 public:
  explicit MaskedTable(std::unique_ptr<TableFile> table) : TableFile(table->where()), table_(std::move(table)) {
    columns_ = table_->columns();
    rows_ = table_->rows();
    named_ = table_->named();
    any_case_ = table_->any_case();
    for (std::size_t k = 0; k < columns_.size(); ++k) masks_.push_back(mask_of(columns_, k));
  }

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    std::vector<std::size_t> all = places;
    for (const std::size_t place : places)
      if (masks_[place]) all.push_back(*masks_[place]);
    if (all.size() == places.size()) return read_rows_of(*table_, first, count, places, out);
    constexpr std::int64_t kRows = 1 << 14;
    std::vector<double> rows;
    for (std::int64_t done = 0; done < count; done += kRows) {
      const std::int64_t part = std::min(kRows, count - done);
      rows.resize(static_cast<std::size_t>(part) * all.size());
      read_rows_of(*table_, first + done, part, all, rows.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(part); ++i) {
        const double* const row = rows.data() + i * all.size();
        const double* mask = row + places.size();
        for (std::size_t k = 0; k < places.size(); ++k)
          *out++ = masks_[places[k]] && *mask++ != 0 ? std::numeric_limits<double>::quiet_NaN() : row[k];
      }
    }
  }
  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    table_->read_texts(first, count, place, out);
    if (!masks_[place]) return;
    std::vector<double> mask(static_cast<std::size_t>(count));
    read_rows_of(*table_, first, count, {*masks_[place]}, mask.data());
    for (std::size_t i = 0; i < out.size(); ++i)
      if (mask[i] != 0) out[i].clear();
  }

  std::unique_ptr<TableFile> table_;
  std::vector<std::optional<std::size_t>> masks_;  // of each column
};

}  // namespace

std::vector<std::string> TableFile::names() const {
  std::vector<std::string> names;
  for (const TableColumn& column : columns_) names.push_back(column.name);
  return names;
}

void TableFile::read_with_missing(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places,
                                  double* out) {
  PAIRS_CHECK(first >= 0 && count >= 0 && first <= rows_ && count <= rows_ - first,
              "{} has {} rows; rows {} to {} were asked for", where_, rows_, first + 1, first + count);
  if (count > 0) read_rows(first, count, places, out);
}

void TableFile::read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) {
  read_with_missing(first, count, places, out);
  const std::size_t numbers = static_cast<std::size_t>(count) * places.size();
  for (std::size_t i = 0; i < numbers; ++i)
    PAIRS_CHECK(std::isfinite(out[i]), "{}: column {} of row {} is {}; repair it or drop the row", where_,
                printable(columns_[places[i % places.size()]].name),
                first + static_cast<std::int64_t>(i / places.size()) + 1,
                std::isnan(out[i]) ? "missing or nan" : fmt::format("{}", out[i]));
}

void TableFile::read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) {
  PAIRS_CHECK(first >= 0 && count >= 0 && first <= rows_ && count <= rows_ - first && place < columns_.size(),
              "{} has {} rows; rows {} to {} were asked for", where_, rows_, first + 1, first + count);
  out.clear();
  if (count > 0) read_row_texts(first, count, place, out);
}

void TableFile::read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                               std::vector<std::string>& out) {
  PAIRS_CHECK(columns_[place].other.empty(), "{}: column {} holds {}, by which sets cannot be separated; convert it",
              where_, printable(columns_[place].name), columns_[place].other);
  std::vector<double> numbers(static_cast<std::size_t>(count));
  read_rows(first, count, {place}, numbers.data());
  for (const double number : numbers) out.push_back(std::isnan(number) ? "" : fmt::format("{}", number));
}

std::unique_ptr<TableGroups> open_table_groups(const fs::path& path, const std::vector<std::string>& wanted) {
  const std::string ending = is_gzip_file(path) ? "" : ending_of_format(path);
  std::error_code error;
  for (const TableFormat& format : kFormats)
    if (ending == format.ending && format.open == open_hdf5_table && fs::is_regular_file(path, error) &&
        fs::file_size(path, error) > 0)
      return open_hdf5_groups(path, printable(path.string(), 300), wanted);
  return nullptr;
}

const std::vector<std::string>& table_endings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const TableFormat& format : kFormats) all.emplace_back(format.ending);
    return all;
  }();
  return endings;
}

std::unique_ptr<TableFile> open_table(const fs::path& path, const TableChoice& choice) {
  const std::string where = printable(path.string(), 300), ending = ending_of_format(path);
  std::error_code error;
  PAIRS_CHECK(fs::exists(path, error), "The file {} does not exist", where);
  if (std::unique_ptr<TableFile> joined = open_joined_table(path, where, choice)) return joined;
  PAIRS_CHECK(fs::is_regular_file(path, error), "{} is no regular file; give a file of a table", where);
  PAIRS_CHECK(fs::file_size(path, error) > 0, "{} is empty; write it again", where);
  for (const TableFormat& format : kFormats)
    if (ending == format.ending) {
      std::unique_ptr<TableFile> table = format.open(path, where, choice);
      PAIRS_CHECK(!table->columns().empty(), "{} holds no column; give a table with a column a quantity", where);
      PAIRS_CHECK(table->rows() > 0, "{} holds no rows; give at least one", where);
      for (std::size_t k = 0; k < table->columns().size(); ++k)
        if (mask_of(table->columns(), k)) return std::make_unique<MaskedTable>(std::move(table));
      return table;
    }
  fail("{}", unread_format(path));
}

bool has_column(const TableFile& table, const std::string& name) {
  return !names_of(table).find(name).empty();
}

std::vector<std::size_t> places_in(const TableFile& table, const std::vector<std::string>& wanted,
                                   std::size_t numbers) {
  for (const std::string& name : wanted)
    if (std::count(wanted.begin(), wanted.end(), name) > 1)
      throw ColumnsError(
          fmt::format("{}: column {} is asked for twice; name each once", table.where(), printable(name)),
          table.names());
  const ColumnNames names = names_of(table);
  std::vector<std::size_t> places;
  if (names.fit(wanted) != 2 || !table.named()) places = names.instead_of(wanted);
  if (places.empty()) places = places_by_name(table, wanted, numbers == 0 ? wanted.size() : numbers);
  for (const std::size_t place : places)
    if (const TableColumn& column = table.columns()[place]; !column.other.empty())
      throw ColumnsError(
          fmt::format("{}: column {} {} {}{}; {}, or choose another column", table.where(), printable(column.name),
                      column.fits ? "holds" : "has", column.other, column.fits ? ", not numbers" : "",
                      column.fits ? "convert it" : "save it with the others"),
          table.names());
  return places;
}

}  // namespace pairs
