#include "app/kinds/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "app/kinds/arrays.h"
#include "app/kinds/points/points_columns.h"
#include "app/kinds/target_room.h"
#include "core/base/fields/face.h"
#include "core/base/tables/csv_line.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "tasks/file_format.h"
#include "tasks/program_table.h"
#include "tasks/table_file.h"

namespace pairs {

Observed as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where) {
  return room_of(task).checked(std::move(x), task, where);
}

Observed read_observed(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most) {
  check_exists(path);
  return room_of(task).read(path, task, most, Missing::refuse);
}

ObservedTable read_observed_columns(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                                    const TableColumns& read) {
  check_exists(path);
  const std::vector<std::string>& columns = read.chosen;
  const bool file = !std::filesystem::is_directory(path) || !table_parts(path).empty();
  const bool table = file && room_of(task).lines(task, "") != nullptr && is_points_table(path, task, read);
  if (!read.reader.empty() && !table)
    fail_usage("--reader reads a table of points, and observations of task {} are none", task.name);
  const std::string ending = lower_extension(path);
  if (!read.table.empty() && (!table || !read.reader.empty() || ending == ".csv" || ending == ".npz"))
    fail_usage("--table names one of the tables of a HDF5 or FITS file; {} holds one alone, so leave it out",
               printable(path.string(), 300));
  if (!columns.empty()) {
    if (!table)
      fail_usage("--columns are those of a table of points; {} is none, so leave them out",
                 printable(path.string(), 300));
    for (const std::string& name : columns)
      if (std::count(columns.begin(), columns.end(), name) > 1)
        fail_usage("Column {} is asked for twice; name each once", printable(name));
    // A column of a table may hold several numbers per row.
    const std::string ending = lower_extension(path);
    const bool several = !read.reader.empty() || ending == ".npz" ||
                         std::find(table_endings().begin(), table_endings().end(), ending) != table_endings().end();
    if (columns.size() > task.observation_columns.size() ||
        (columns.size() < task.observation_columns.size() && !several))
      fail_usage("{} named, but an observation of task {} has {}: {}", counted(columns.size(), "column"), task.name,
                 task.observation_columns.size(), fmt::join(task.observation_columns, ", "));
  }
  if (table) return read_points(path, task, most, read);
  ObservedTable observed = {room_of(task).read(path, task, most, read.missing)};
  if (observed.dropped > 0)
    observed.warnings.push_back(dropped_text(observed.dropped, observed.held + observed.dropped));
  return observed;
}

std::vector<FileColumn> file_columns(const Task& task) {
  const HasFileColumns* const known = face<HasFileColumns>(task);
  return known ? known->file_columns() : std::vector<FileColumn>();
}

std::vector<std::string> observation_endings(const TaskInfo& task) {
  std::vector<std::string> endings = {".npz", ".npy"};
  if (room_of(task).lines(task, "") == nullptr) return endings;
  endings.insert(endings.end(), text_endings().begin(), text_endings().end());
  endings.insert(endings.end(), table_endings().begin(), table_endings().end());
  endings.emplace_back(".gz");
  return endings;
}

Observations ObservedRows::pick(const std::vector<std::int64_t>& which) {
  constexpr std::int64_t kRows = 1 << 16;
  std::vector<std::size_t> order(which.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return which[a] < which[b]; });
  torch::Tensor out;
  for (std::size_t k = 0; k < order.size();) {
    const std::int64_t from = which[order[k]], to = std::min(from + kRows, count());
    const torch::Tensor rows = part(from, to).block();
    if (!out.defined()) out = at::empty({static_cast<std::int64_t>(which.size()), rows.size(1)}, rows.options());
    std::vector<std::int64_t> there, here;
    for (; k < order.size() && which[order[k]] < to; ++k) {
      there.push_back(which[order[k]] - from);
      here.push_back(static_cast<std::int64_t>(order[k]));
    }
    out.index_copy_(0, torch::tensor(here, torch::kInt64), rows.index_select(0, torch::tensor(there, torch::kInt64)));
  }
  return out;
}

torch::Tensor stated_rows(const torch::Tensor& rows, Missing missing) {
  if (missing != Missing::drop || !rows.defined() || rows.dim() != 2) return rows;
  const torch::Tensor stated = torch::isfinite(rows).all(1).nonzero().squeeze(1);
  return stated.numel() == 0 ? torch::Tensor() : rows.index_select(0, stated);
}

namespace {

// Parses a number of --conditions. `name`: the condition.
double given_number(std::string_view text, const std::string& name, const std::string& where) {
  double value = 0;
  if (parse_csv_number(text, value) != CsvNumber::good || !std::isfinite(value))
    fail_usage("{}: {} = \"{}\" is not a finite number", where, name, printable(text, 100));
  return value;
}

// Parses numbers in the task's order or with their names: "1,0.5", "exposure=1,angle=0.5".
torch::Tensor given_of_text(const std::string& text, const TaskInfo& task) {
  const std::string where = fmt::format("--conditions {}", printable(text));
  const std::vector<std::string> names = given_names(task);
  const bool named = text.find('=') != text.npos;
  std::vector<std::optional<double>> numbers(named ? names.size() : 0);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = trimmed(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), rest.find(',') == rest.npos ? rest.size() : rest.find(',') + 1));
    if (!named) {
      const std::size_t k = numbers.size();
      numbers.emplace_back(given_number(part, k < names.size() ? names[k] : fmt::format("number {}", k + 1), where));
      continue;
    }
    const std::size_t at = part.find('=');
    const auto name = std::find(names.begin(), names.end(), trimmed(part.substr(0, at)));
    if (at == part.npos || name == names.end())
      fail_usage("{}: \"{}\" is none of {}; write NAME=NUMBER with commas between", where, printable(part),
                 fmt::join(names, ", "));
    std::optional<double>& number = numbers[static_cast<std::size_t>(name - names.begin())];
    if (number) fail_usage("{} names {} twice", where, *name);
    const std::string_view value = trimmed(part.substr(at + 1));
    if (value.empty()) fail_usage("{}: {} has no number", where, *name);
    number = given_number(value, *name, where);
  }
  torch::Tensor out = at::empty({static_cast<std::int64_t>(numbers.size())}, torch::kFloat64);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!numbers[k]) fail_usage("{} leaves out {}", where, names[k]);
    out[static_cast<std::int64_t>(k)] = *numbers[k];
  }
  return out;
}

// Throws if rows [M, g] differ from the first of the set, [1, g]; `before`: number of preceding rows.
void check_alike(const torch::Tensor& rows, const torch::Tensor& first, std::int64_t before, const TaskInfo& task,
                 const std::string& where) {
  for (std::int64_t k = 0; k < task.given_size(); ++k) {
    const torch::Tensor column = rows.select(1, k), other = (column != first[0][k]).nonzero();
    if (other.numel() == 0) continue;
    const auto at = other[0][0].item<std::int64_t>();
    fail("{}: {} is {} of observation 1 and {} of observation {}; a condition is one number for the whole set", where,
         task.given[static_cast<std::size_t>(k)].name, first[0][k].item<double>(), column[at].item<double>(),
         before + at + 1);
  }
}

// Arrays of an .npz file with these names, one number or one per observation [M, g]; undefined if any is missing.
torch::Tensor given_arrays(const std::filesystem::path& path, const std::vector<std::string>& names) {
  NpzReader arrays(path);
  std::vector<torch::Tensor> columns;
  for (const std::string& name : names) {
    if (!arrays.shapes().contains(name)) return {};
    columns.push_back(arrays.read(name).to(torch::kFloat64).reshape({-1}));
    if (columns.back().numel() != columns.front().numel()) return {};
  }
  return torch::stack(columns, 1);
}

// The first row of a table's columns with these names, whose rows must be equal; undefined if any is missing.
torch::Tensor given_columns(const std::filesystem::path& path, const TableColumns& read,
                            const std::vector<std::string>& names, const TaskInfo& task, const std::string& where) {
  constexpr std::int64_t kRows = 1 << 16;
  // The table with the observations.
  const std::unique_ptr<TableFile> table =
      open_table_by(read.reader, path, {.name = read.table, .wanted = wanted_columns(task, read)});
  for (const std::string& name : names)
    if (!has_column(*table, name)) return {};
  torch::Tensor first;
  for (std::int64_t from = 0; from < table->rows(); from += kRows) {
    const std::int64_t count = std::min(kRows, table->rows() - from);
    const torch::Tensor read_rows = at::empty({count, task.given_size()}, torch::kFloat64);
    double* const to = read_rows.mutable_data_ptr<double>();
    if (read.missing == Missing::drop)
      table->read_with_missing(from, count, places_in(*table, names), to);
    else
      table->read(from, count, places_in(*table, names), to);
    const torch::Tensor rows = stated_rows(read_rows, read.missing);
    if (!rows.defined()) continue;
    if (!first.defined()) first = rows.slice(0, 0, 1).clone();
    check_alike(rows, first, from, task, where);
  }
  return first;
}

// The conditions in a file [M, g], one row or one per observation; undefined if there are none.
torch::Tensor given_of_file(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& read,
                            const std::string& where) {
  if (!std::filesystem::is_regular_file(path) && table_parts(path).empty()) return {};
  const std::vector<std::string> names = given_names(task);
  if (!read.reader.empty()) return given_columns(path, read, names, task, where);
  const std::string ending = lower_extension(path);
  if (ending == ".npz") {
    NpzReader arrays(path);
    return arrays.shapes().contains("given") ? arrays.read("given", task.given_size() + 1).reshape({1, -1})
                                             : stated_rows(given_arrays(path, names), read.missing);
  }
  if (ending == ".csv") {
    try {
      const CsvTable table = read_csv_table(path, names, read.missing == Missing::drop);
      return table.taken == names ? stated_rows(table.rows, read.missing) : torch::Tensor();
    } catch (const ColumnsError&) {
      return {};
    }
  }
  if (std::find(table_endings().begin(), table_endings().end(), ending) == table_endings().end()) return {};
  return given_columns(path, read, names, task, where);
}

}  // namespace

torch::Tensor given_of_rows(const torch::Tensor& rows, const TaskInfo& task, const std::string& where) {
  PAIRS_CHECK(rows.defined(), "{}: no row states {}; name it with --conditions", where,
              fmt::join(given_names(task), ", "));
  PAIRS_CHECK(!rows.is_complex() && rows.dim() == 2 && rows.size(0) > 0 && rows.size(1) == task.given_size(),
              "{} number{} given, but sets of task {} come with {}: {}", rows.numel(),
              rows.numel() == 1 ? " is" : "s are", task.name, task.given_size(), fmt::join(given_names(task), ", "));
  const torch::Tensor values = rows.to(torch::kFloat64), first = values.slice(0, 0, 1).contiguous();
  check_finite(first, "The given quantities");
  check_alike(values, first, 0, task, where);
  return first;
}

bool holds_given(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& read) {
  return given_of_file(path, task, read, printable(path.string(), 300)).defined();
}

torch::Tensor read_given(const std::string& text, const std::filesystem::path& path, const TaskInfo& task,
                         const TableColumns& read) {
  if (task.given.empty()) {
    if (!text.empty())
      fail_usage("Sets of task {} have no conditions besides their observations; leave --conditions out", task.name);
    return {};
  }
  if (!text.empty()) return given_of_rows(given_of_text(text, task).reshape({1, -1}), task, "--conditions");
  const std::string where = printable(path.string(), 300);
  const torch::Tensor rows = given_of_file(path, task, read, where);
  if (!rows.defined())
    fail_usage("Sets of task {} come with {}: name them with --conditions, or as the array \"given\" of an .npz file{}",
               task.name, fmt::join(given_names(task), ", "),
               task.observation_columns.empty() ? "" : ", or as columns of a table");
  return given_of_rows(rows, task, where);
}

torch::Tensor read_theta(const std::filesystem::path& path, const TaskInfo& task, std::int64_t sets) {
  target_room_of(task).check_density(task, "of which no density is scored; leave out --theta");
  check_exists(path);
  const std::string extension = lower_extension(path);
  constexpr std::int64_t most = 1000000;
  torch::Tensor theta;
  if (extension == ".npz") {
    NpzReader arrays(path);
    theta = arrays.read(pick_array(arrays, path, "theta"), std::max<std::int64_t>(sets, 0) + most + 1);
  } else if (extension == ".csv") {
    std::vector<std::string> names;
    for (const Target& target : task.targets) names.push_back(target.name);
    theta = read_csv(path, names);
  } else {
    fail("{} holds no values of θ that can be read; give them as an .npz, .npy or CSV file", path.string());
  }
  const std::int64_t targets = task.target_size();
  if (theta.dim() == 1) theta = targets == 1 ? theta.unsqueeze(1) : theta.unsqueeze(0);
  const bool of_each = sets > 0 && theta.dim() == 3 && theta.size(0) == sets;
  PAIRS_CHECK((theta.dim() == 2 || of_each) && theta.size(-1) == targets && theta.size(-2) > 0 && !theta.is_complex(),
              "{} has the shape {} but the θ of task {} needs [S, {}]{}", path.string(), shape_text(theta.sizes()),
              task.name, targets, sets > 0 ? fmt::format(", or [{}, S, {}] of {} sets", sets, targets, sets) : "");
  PAIRS_CHECK(theta.size(-2) <= most, "{} holds more than the {} values of θ that are scored at once; split it",
              path.string(), most);
  theta = theta.to(torch::kFloat64).contiguous();
  check_finite(theta, path.string());
  return theta;
}

}  // namespace pairs
