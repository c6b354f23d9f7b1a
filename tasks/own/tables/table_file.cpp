#include "tasks/table_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/csv_table.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/own/tables/formats.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

struct TableFormat {
  const char* ending;
  std::unique_ptr<TableFile> (*open)(const fs::path& path, const std::string& where);
};
constexpr TableFormat kFormats[] = {
    {".parquet", open_arrow_table}, {".arrow", open_arrow_table}, {".feather", open_arrow_table},
    {".arrows", open_arrow_table},  {".h5", open_hdf5_table},     {".hdf5", open_hdf5_table},
    {".hdf", open_hdf5_table},      {".fits", open_fits_table},   {".fit", open_fits_table},
};

std::string ending_of_table(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

std::size_t place_in(const TableFile& table, const std::vector<std::string>& wanted, const std::string& name) {
  const std::vector<std::string> names = table.names();
  const auto count = std::count(names.begin(), names.end(), name);
  if (count > 1)
    throw ColumnsError(
        fmt::format("{} has more than one column {}; name its columns apart", table.where(), printable(name)), names);
  if (count == 1) return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (name == fmt::format("column {}", k + 1)) return k;
  throw ColumnsError(
      fmt::format("{} has the columns {}, but {} {} needed; rename them, or choose others with --columns",
                  table.where(), printable(fmt::format("{}", fmt::join(names, ", ")), 1000), fmt::join(wanted, ", "),
                  wanted.size() > 1 ? "are, in any order," : "is"),
      names);
}

// Whether columns are asked for by their numbers: "column 2".
bool are_numbers(const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [](const std::string& name) { return name.starts_with("column "); });
}

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
  PAIRS_CHECK(columns_[place].other.empty(), "{}: column {} holds {}, by which sets cannot be told; convert it", where_,
              printable(columns_[place].name), columns_[place].other);
  std::vector<double> numbers(static_cast<std::size_t>(count));
  read_rows(first, count, {place}, numbers.data());
  for (const double number : numbers) out.push_back(std::isnan(number) ? "" : fmt::format("{}", number));
}

std::unique_ptr<TableGroups> open_table_groups(const fs::path& path, const std::vector<std::string>& wanted) {
  const std::string ending = ending_of_table(path);
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

std::unique_ptr<TableFile> open_table(const fs::path& path, const TableChoice&) {
  const std::string where = printable(path.string(), 300), ending = ending_of_table(path);
  std::error_code error;
  PAIRS_CHECK(fs::exists(path, error), "The file {} does not exist", where);
  PAIRS_CHECK(fs::is_regular_file(path, error), "{} is no regular file; give a file of a table", where);
  PAIRS_CHECK(fs::file_size(path, error) > 0, "{} is empty; write it again", where);
  for (const TableFormat& format : kFormats)
    if (ending == format.ending) {
      std::unique_ptr<TableFile> table = format.open(path, where);
      PAIRS_CHECK(!table->columns().empty(), "{} holds no column; give a table with a column a quantity", where);
      PAIRS_CHECK(table->rows() > 0, "{} holds no rows; give at least one", where);
      return table;
    }
  fail("{} ends in none of {}, by which tables are told; convert or rename it", where,
       fmt::join(table_endings(), ", "));
}

std::vector<std::size_t> places_in(const TableFile& table, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted)
    if (std::count(wanted.begin(), wanted.end(), name) > 1)
      throw ColumnsError(
          fmt::format("{}: column {} is asked for twice; name each once", table.where(), printable(name)),
          table.names());
  if (wanted.size() == 1 && table.columns().size() == 1)
    places.push_back(0);
  else if (!table.named() && table.columns().size() == wanted.size() && !are_numbers(wanted))
    for (std::size_t k = 0; k < wanted.size(); ++k) places.push_back(k);
  else
    for (const std::string& name : wanted) places.push_back(place_in(table, wanted, name));
  for (const std::size_t place : places)
    if (const TableColumn& column = table.columns()[place]; !column.other.empty())
      throw ColumnsError(fmt::format("{}: column {} holds {}, not numbers; convert it, or choose another column",
                                     table.where(), printable(column.name), column.other),
                         table.names());
  return places;
}

}  // namespace pairs
