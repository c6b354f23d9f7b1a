#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "app/kinds/arrays.h"
#include "app/kinds/points/points_columns.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "tasks/program_table.h"
#include "tasks/table_file.h"

namespace pairs {
namespace {

// Whether a file may contain decimal commas, which split a number into two.
bool may_have_decimal_commas(const torch::Tensor& rows, std::int64_t columns) {
  return rows.size(1) == 2 * columns && rows.equal(rows.floor());
}

// Finds the requested columns of the file by name or number.
void check_named(const std::vector<std::string>& wanted, const std::vector<std::string>& columns,
                 const std::string& where) {
  const auto holds = [&](const std::string& name) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (name == columns[k] || name == fmt::format("column {}", k + 1)) return true;
    return false;
  };
  for (const std::string& name : wanted)
    if (!holds(name))
      throw ColumnsError(fmt::format("{} has no column {}; {} {}", where, printable(name),
                                     columns.front() == "column 1" ? "its first line names none: it has" : "it has",
                                     printable(fmt::format("{}", fmt::join(columns, ", ")))),
                         columns);
}

// A single column may have any name unless files use other units than the task: then its unit is ambiguous.
void check_units(const std::vector<std::string>& columns, const TableColumns& read, const std::string& where) {
  const bool named = columns.size() == 1 && columns.front() != "column 1";
  if (!read.chosen.empty() || !named || read.files.size() != 1 || !read.files.front().converts()) return;
  if (columns.front() != read.files.front().from)
    throw ColumnsError(fmt::format("{} has the column {}, and not {}, whose values are converted as [[x.columns]] "
                                   "states; name it so, or choose it with --columns where it is the same",
                                   where, printable(columns.front()), printable(read.files.front().from)),
                       columns);
}

// An array of an .npz file, or one of its numbers per row: "x[1]".
struct NpzColumn {
  std::string array;
  std::int64_t number = -1;  // -1: all
};
// `names`: the names of the numbers of x.
std::optional<NpzColumn> npz_column(const NpzReader& arrays, const std::vector<std::string>& names,
                                    const std::string& name) {
  if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
    return NpzColumn{"x", at - names.begin()};
  const auto held = [&](const std::string& array) {
    const auto found = arrays.shapes().find(array);
    return found != arrays.shapes().end() ? found->second.size() == 1 || found->second.size() == 2
                                          : arrays.problems().contains(array);
  };
  if (held(name)) return NpzColumn{name};
  const std::size_t open = name.rfind('[');
  if (open == name.npos || !name.ends_with(']') || !held(name.substr(0, open))) return std::nullopt;
  std::int64_t number = 0;
  const char *from = name.data() + open + 1, *to = name.data() + name.size() - 1;
  const auto [end, error] = std::from_chars(from, to, number);
  const auto found = arrays.shapes().find(name.substr(0, open));
  if (error != std::errc() || end != to || number < 0 || found == arrays.shapes().end() || found->second.size() != 2 ||
      number >= found->second[1])
    return std::nullopt;
  return NpzColumn{name.substr(0, open), number};
}

// An .npz whose arrays are the wanted columns, or whose array x has named ones.
bool holds_columns(const NpzReader& arrays, const std::filesystem::path& path, const std::vector<std::string>& wanted,
                   const TableColumns& columns) {
  const std::vector<std::string> names = wanted.empty() ? wanted : names_of_x(arrays, path);
  if (!names.empty() && columns.chosen.empty()) return true;
  // A single array is x under any name, and so is the one named x, unless others are requested.
  if (columns.chosen.empty() &&
      (arrays.shapes().size() + arrays.problems().size() < 2 || (wanted.size() == 1 && arrays.shapes().contains("x"))))
    return false;
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return npz_column(arrays, names, name).has_value(); });
}

// `numbers`: how many per row are needed in total. `one_set`: throws for a file with several sets.
CsvTable read_npz_columns(const std::filesystem::path& path, const std::vector<std::string>& wanted,
                          std::int64_t numbers, bool one_set) {
  NpzReader arrays(path);
  CsvTable table;
  std::vector<torch::Tensor> columns;
  for (const auto& [name, shape] : arrays.shapes()) table.columns.push_back(name);
  const std::vector<std::string> names = names_of_x(arrays, path);
  if (!names.empty()) table.columns = names;
  for (const std::string& name : wanted) {
    PAIRS_CHECK(std::count(names.begin(), names.end(), name) < 2,
                "{} has more than one column {}; name its columns apart", printable(path.string(), 300),
                printable(name));
    if (!npz_column(arrays, names, name))
      throw ColumnsError(
          fmt::format("{} names the columns of x {}, but {} {} needed; rename them, or choose others with --columns",
                      printable(path.string(), 300), printable(fmt::format("{}", fmt::join(names, ", "))),
                      fmt::join(wanted, ", "), wanted.size() > 1 ? "are, in any order," : "is"),
          names);
  }
  std::int64_t held = 0;
  std::map<std::string, torch::Tensor> read;
  for (const std::string& name : wanted) {
    const NpzColumn one = npz_column(arrays, names, name).value();
    if (!read.contains(one.array)) read.emplace(one.array, read_masked(arrays, path, one.array));
    torch::Tensor column = read.at(one.array);
    PAIRS_CHECK(!column.is_complex(), "{}: the array {} must hold real numbers", path.string(), printable(name));
    if (column.dim() == 1) column = column.unsqueeze(1);
    if (one.number >= 0) column = column.narrow(1, one.number, 1);
    if (column.size(1) > 1 && static_cast<std::int64_t>(wanted.size()) == numbers)
      throw ColumnsError(fmt::format("{}: the array {} holds {} numbers per row, where one is needed; choose one of "
                                     "them, such as {}[0], with --columns",
                                     path.string(), printable(name), column.size(1), printable(name)),
                         table.columns);
    PAIRS_CHECK(columns.empty() || column.size(0) == columns.front().size(0),
                "{}: the arrays {} and {} have {} and {} rows; columns of one table have as many", path.string(),
                printable(wanted.front()), printable(name), columns.front().size(0), column.size(0));
    held += column.size(1);
    columns.push_back(column.to(torch::kFloat64));
  }
  if (held != numbers)
    throw ColumnsError(
        fmt::format("{}: {} {} {} per row, where {} are needed; choose others with --columns", path.string(),
                    printable(fmt::format("{}", fmt::join(wanted, ", "))), wanted.size() > 1 ? "hold" : "holds",
                    held == 1 ? "one number" : fmt::format("{} numbers", held), numbers),
        table.columns);
  table.rows = torch::cat(columns, 1);
  if (one_set) refuse_several_sets(arrays, table.rows.size(0), path);
  table.taken = wanted;
  return table;
}

// In a table without column names, a first column that counts the rows may be an index.
void warn_of_counter(CsvTable& table, const std::string& where) {
  if (table.columns.front() != "column 1" || table.rows.size(0) < 4 || table.rows.size(1) < 2) return;
  const torch::Tensor first = table.rows.select(1, 0), counter = torch::arange(first.size(0), torch::kFloat64);
  if (table.taken.front() != "column 1" || !(first.equal(counter) || first.equal(counter + 1))) return;
  table.warnings.push_back(fmt::format(
      "{}: its first column counts the rows, as an index does, and is taken as one of the observations'; name "
      "the columns in its first line, or choose others with --columns",
      printable(where, 300)));
}

// Throws with the line of the first missing value, as a strict reader does, and the number of such rows.
[[noreturn]] void fail_missing_lines(const std::filesystem::path& path, const std::vector<std::string>& wanted,
                                     std::int64_t count, std::int64_t rows) {
  const std::string more = fmt::format("; {} of {} rows lack a value, and --missing drop leaves such rows out",
                                       count_text(count), count_text(rows));
  try {
    read_csv_table(path, wanted);
  } catch (const ColumnsError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.text() + more, error.kind(), error.keys(), error.place());
  }
  fail("{} was changed while it was read; ask again", printable(path.string(), 300));
}

CsvTable read_text_columns(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& columns) {
  const std::vector<std::string> wanted = wanted_columns(task, columns);
  CsvTable table = [&] {
    try {
      return read_csv_table(path, wanted, true);
    } catch (const ColumnsError& error) {
      throw with_advice(error);
    }
  }();
  warn_of_counter(table, path.string());
  check_named(columns.chosen, table.columns, path.string());
  check_units(table.columns, columns, path.string());
  try {
    check_columns(task, table.rows.size(1), path.string(),
                  may_have_decimal_commas(table.rows, task.observation_shape[0])
                      ? "; if its numbers have decimal commas, write decimal points"
                      : "");
  } catch (const Error& error) {
    throw ColumnsError(error.what(), std::move(table.columns));
  }
  if (columns.missing != Missing::refuse) return table;
  const auto broken = torch::isfinite(table.rows).all(1).logical_not().sum().item<std::int64_t>();
  if (broken > 0) fail_missing_lines(path, wanted, broken, table.rows.size(0));
  return table;
}

// Points of an open table.
class PointRows final : public ObservedRows {
 public:
  PointRows(std::unique_ptr<TableFile> table, TaskInfo info, const TableColumns& columns)
      : table_(std::move(table)),
        info_(std::move(info)),
        columns_(columns.files),
        places_(
            places_in(*table_, wanted_columns(info_, columns), static_cast<std::size_t>(info_.observation_shape[0]))) {
    std::vector<std::string> unknown = columns.chosen;
    std::erase_if(unknown, [&](const std::string& name) { return has_column(*table_, name); });
    check_named(unknown, table_->names(), table_->where());
    check_units(table_->names(), columns, table_->where());
    check_vector_units(columns);
    if (columns.missing != Missing::drop) return;
    auto whole = std::make_unique<WholeRows>(std::move(table_), places_);
    whole_ = whole.get();
    table_ = std::move(whole);
  }

  // The omitted rows.
  std::int64_t dropped() const { return whole_ == nullptr ? 0 : whole_->dropped(); }

  std::int64_t count() const override { return table_->rows(); }
  Observations part(std::int64_t from, std::int64_t to) override { return checked(from, to).x; }
  Observed checked(std::int64_t from, std::int64_t to) {
    const auto width = static_cast<std::int64_t>(places_.size());
    torch::Tensor rows = at::empty({to - from, width}, torch::kFloat64);
    auto* const at = rows.mutable_data_ptr<double>();
    table_->read_with_missing(from, to - from, places_, at);
    check_whole(at, from, to - from);
    if (dropped() == 0)
      convert_columns(columns_, table_->where(), from, to - from, at);
    else
      for (std::int64_t i = 0; i < to - from; ++i)
        convert_columns(columns_, table_->where(), whole_->number(from + i), 1, at + i * width);
    return room_of(info_).checked(rows, info_, table_->where());
  }
  std::vector<std::string> taken() const {
    std::vector<std::string> names;
    for (const std::size_t place : places_) names.push_back(table_->columns()[place].name);
    return names;
  }

 private:
  // Numbers of one column that replace columns of other units may be in either unit.
  void check_vector_units(const TableColumns& read) const {
    const std::string& vector = table_->columns()[places_.front()].vector;
    const bool converts =
        std::any_of(read.files.begin(), read.files.end(), [](const FileColumn& one) { return one.converts(); });
    if (!read.chosen.empty() || !converts || vector.empty() || has_column(*table_, read.files.front().from)) return;
    throw ColumnsError(
        fmt::format("{} has a column {} of {} numbers per row, and not {}, whose values are converted as [[x.columns]] "
                    "states; name them so, or choose it with --columns {} where they are the same",
                    table_->where(), printable(vector), places_.size(),
                    printable(fmt::format("{}", fmt::join(wanted_columns(info_, read), ", "))), printable(vector)),
        table_->names());
  }

  // Throws for rows from .. from + count - 1 that lack a value, and names the column.
  void check_whole(const double* rows, std::int64_t from, std::int64_t count) const {
    std::int64_t broken = 0;
    std::string first;
    for (std::int64_t i = 0; i < count; ++i) {
      const double* const row = rows + static_cast<std::size_t>(i) * places_.size();
      if (all_finite(row, places_.size()) || ++broken > 1) continue;
      std::size_t k = 0;
      while (std::isfinite(row[k])) ++k;
      first =
          fmt::format("column {} of row {}", printable(table_->columns()[places_[k]].name), count_text(from + i + 1));
    }
    if (broken > 0) fail_missing(table_->where(), broken, count, first);
  }

  std::unique_ptr<TableFile> table_;
  const WholeRows* whole_ = nullptr;  // table_ if rows are omitted
  TaskInfo info_;
  std::vector<FileColumn> columns_;
  std::vector<std::size_t> places_;
};

void note_dropped(ObservedTable& table, const std::filesystem::path& path, std::int64_t dropped) {
  table.dropped = dropped;
  if (dropped > 0) table.warnings.push_back(dropped_text(dropped, table.held + dropped));
}

ObservedTable read_open_table(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                              const TableColumns& columns) {
  std::unique_ptr<TableFile> table =
      open_table_by(columns.reader, path, {.name = columns.table, .wanted = wanted_columns(task, columns)});
  ObservedTable out;
  out.columns = table->names();
  const auto rows = std::make_shared<PointRows>(std::move(table), task, columns);
  out.taken = rows->taken();
  out.held = rows->count();
  const std::int64_t used = std::min(most, out.held);
  if (used > columns.held / task.observation_shape[0])
    out.rows = rows;
  else
    static_cast<Observed&>(out) = rows->checked(0, used);
  out.held = rows->count();
  note_dropped(out, path, rows->dropped());
  return out;
}

}  // namespace

ColumnsError with_advice(const ColumnsError& error) {
  constexpr std::string_view other = "rename them or drop the first line";
  std::string text = error.what();
  if (const std::size_t at = text.find(other); at != text.npos)
    text.replace(at, other.size(), "rename them, or choose others with --columns");
  else if (text.find("--columns") == text.npos)
    text += "; --columns chooses among them";
  return ColumnsError(text, error.columns());
}

std::vector<std::string> wanted_columns(const TaskInfo& task, const TableColumns& columns) {
  if (!columns.chosen.empty()) return columns.chosen;
  if (columns.files.empty()) return task.observation_columns;
  std::vector<std::string> names;
  for (const FileColumn& column : columns.files) names.push_back(column.from);
  return names;
}

bool is_points_table(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& columns) {
  if (!columns.reader.empty()) return true;
  const std::string ending = lower_extension(path);
  if (ending == ".npz") return holds_columns(NpzReader(path), path, wanted_columns(task, columns), columns);
  return ending == ".csv" || std::find(table_endings().begin(), table_endings().end(), ending) != table_endings().end();
}

ObservedTable read_points(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                          const TableColumns& columns) {
  const std::string ending = lower_extension(path);
  if (!columns.reader.empty() || (ending != ".csv" && ending != ".npz"))
    return read_open_table(path, task, most, columns);
  CsvTable table = ending == ".csv" ? read_text_columns(path, task, columns)
                                    : read_npz_columns(path, wanted_columns(task, columns), task.observation_shape[0],
                                                       columns.missing != Missing::keep);
  std::int64_t dropped = 0;
  const torch::Tensor whole =
      keep_whole(table.rows, columns.missing, printable(path.string(), 300), dropped, table.taken);
  const std::int64_t used = std::min(most, whole.size(0));
  const torch::Tensor rows = whole.slice(0, 0, used).contiguous();
  convert_columns(columns.files, path.string(), 0, used, rows.mutable_data_ptr<double>());
  ObservedTable out;
  if (columns.missing == Missing::keep)
    out.x = rows;
  else
    static_cast<Observed&>(out) = room_of(task).checked(rows, task, path.string());
  out.held = whole.size(0);
  note_dropped(out, path, dropped);
  out.warnings.insert(out.warnings.end(), table.warnings.begin(), table.warnings.end());
  out.columns = std::move(table.columns);
  out.taken = std::move(table.taken);
  return out;
}

}  // namespace pairs
