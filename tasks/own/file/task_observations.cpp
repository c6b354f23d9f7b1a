#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fields/fields.h"
#include "core/base/text/text.h"
#include "tasks/own/file/task_parts.h"

namespace pairs::own {
namespace {

constexpr std::int64_t kMostNumbers = 1 << 22;  // per image
constexpr std::int64_t kMostColumns = 4096;

// Reads how x, with `channels` columns or channels, is standardized: by default it is.
void read_input(TableReader& table, std::int64_t channels, TaskFile& task) {
  const auto standardize = table.flag("standardize");
  auto location = table.numbers("location"), scale = table.numbers("scale");
  task.standardizes = standardize.value_or(true);
  if (!location && !scale) return;
  if (!location || !scale)
    table.refuse_missing(location ? "scale" : "location",
                         "'x.location' and 'x.scale' belong together: networks see (x - location) / scale");
  if (!task.standardizes)
    table.refuse_table("'x.location' and 'x.scale' have no effect with standardize = false; remove one or the other");
  for (auto* values : {&*location, &*scale}) {
    if (values->size() == 1) values->resize(static_cast<std::size_t>(channels), values->front());
    if (static_cast<std::int64_t>(values->size()) != channels)
      table.refuse_table(fmt::format("'x.{}' must be one number, or one for each of the {} columns or channels of x",
                                     values == &*location ? "location" : "scale", channels));
  }
  if (std::any_of(scale->begin(), scale->end(), [](double s) { return !(s > 0); }))
    table.refuse_table("'x.scale' must be above 0");
  task.input = {std::move(*location), std::move(*scale)};
}

// [[x.columns]]: names of x's columns in order; how files store them goes into task.columns.
std::vector<std::string> read_columns(TableReader& x, const std::string& where, TaskFile& task) {
  std::vector<std::string> names;
  for (const toml::table* one : x.tables("columns")) {
    TableReader table(*one, "x.columns", where);
    names.push_back(table.needed_text("name"));
    FileColumn column;
    const auto from = table.text("from");
    if (from && from->empty()) table.refuse_table("'x.columns.from' is empty; write the column's name in your files");
    column.from = from.value_or(names.back());
    column.location = table.number("location").value_or(0);
    column.scale = table.number("scale").value_or(1);
    column.log = table.flag("log").value_or(false);
    column.unit = table.text_or("unit", "");
    if (!std::isfinite(column.location)) table.refuse_table("'x.columns.location' must be finite");
    if (!std::isfinite(column.scale) || column.scale == 0)
      table.refuse_table("'x.columns.scale' must be finite and not 0: x = (value - location) / scale");
    for (const FileColumn& other : task.columns)
      if (other.from == column.from)
        table.refuse_table(fmt::format("two columns of x are read from the column '{}'; name another in 'from'",
                                       printable(column.from)));
    table.finish();
    task.columns.push_back(std::move(column));
  }
  return names;
}

// The indices of covariates among the columns of x.
std::vector<std::int64_t> read_covariates(const toml::node& node, const TableReader& table,
                                          const std::vector<std::string>& names,
                                          const std::vector<std::string>& columns) {
  std::vector<std::int64_t> out;
  for (const std::string& name : names) {
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) {
      const std::string near = nearest(name, columns);
      table.refuse(node, fmt::format("'x.covariates' names '{}', which is none of x.columns{}", printable(name),
                                     near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    if (std::count(names.begin(), names.end(), name) > 1)
      table.refuse(node, fmt::format("'x.covariates' names '{}' twice", printable(name)));
    out.push_back(at - columns.begin());
  }
  if (out.size() == columns.size())
    table.refuse(node,
                 "'x.covariates' names every column of x, so that nothing is left that depends on the parameters");
  std::sort(out.begin(), out.end());
  return out;
}

// The period of each column, from the table of those that have one.
std::vector<double> read_periods(const toml::table& source, const std::string& where,
                                 const std::vector<std::string>& columns) {
  TableReader table(source, "x.periodic", where);
  std::vector<double> out(columns.size(), 0);
  for (const auto& [key, node] : source)
    if (std::find(columns.begin(), columns.end(), std::string(key.str())) == columns.end()) {
      const std::string near = nearest(std::string(key.str()), columns);
      table.refuse(
          node, fmt::format("'x.periodic' names '{}', which is none of the columns of x{}",
                            printable(std::string(key.str())), near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto period = table.number(columns[k].c_str());
    if (!period) continue;
    if (!(*period > 0 && std::isfinite(*period)))
      table.refuse(*source.get(columns[k]),
                   fmt::format("'x.periodic.{}' must be the number after which its values repeat, above 0: 360 of "
                               "degrees",
                               columns[k]));
    out[k] = *period;
  }
  table.finish();
  return out;
}

}  // namespace

void read_x(const toml::table& source, const std::string& where, TaskFile& task) {
  TaskInfo& info = task.info;
  TableReader table(source, "x", where);
  const toml::node* const held = source.get("columns");
  const bool tables = held && held->is_array_of_tables();
  const std::optional<std::vector<std::string>> columns =
      tables ? std::optional(read_columns(table, where, task)) : table.texts("columns");
  const auto rows = table.texts("rows");
  const auto shape = table.wholes("shape");
  const auto typical = table.number("typical");
  const auto covariates = table.texts("covariates");
  const toml::table* const periodic = table.table("periodic");
  info.x_text = table.text_or("text", "");
  const auto& given = columns ? columns : rows;
  read_input(table, given ? static_cast<std::int64_t>(given->size()) : shape ? shape->front() : 1, task);
  table.finish();
  if (int{columns.has_value()} + int{rows.has_value()} + int{shape.has_value()} != 1)
    table.refuse_table(
        "[x] must hold exactly one of columns = [names], shape = [channels, height, width] or [numbers], and rows = "
        "[names]");
  if (typical && !rows) table.refuse_table("'x.typical' belongs to ragged rows; remove it, or write rows = [names]");
  if (covariates && !columns)
    table.refuse(*source.get("covariates"),
                 "'x.covariates' names some of x.columns, which [x] does not have; leave it out");
  if (periodic && !columns && !rows)
    table.refuse(*source.get("periodic"),
                 "'x.periodic' names columns, which [x] does not have; write columns = [names] in place of shape");
  if (periodic && !task.standardizes)
    table.refuse(*source.get("periodic"),
                 "'x.periodic' has no effect with standardize = false; remove one or the other");
  if (const auto& names = columns ? columns : rows) {
    if (static_cast<std::int64_t>(names->size()) > kMostColumns)
      table.refuse_table(
          fmt::format("[x] names {} columns; at most {} can be learned from, so summarize an observation or make it an "
                      "image, shape = [channels, height, width]",
                      names->size(), kMostColumns));
    for (const std::string& name : *names)
      if (!is_word(name, "_-") || std::count(names->begin(), names->end(), name) > 1)
        table.refuse_table(
            fmt::format("the column '{}' of [x] must be a word of letters, digits, _ and -, and stand "
                        "there once",
                        printable(name)));
    info.observation_columns = *names;
    info.observation_shape = {static_cast<std::int64_t>(names->size())};
    info.kind = ObservationKind::points;
    if (periodic) info.periods = read_periods(*periodic, where, *names);
    if (covariates) info.covariates = read_covariates(*source.get("covariates"), table, *covariates, *names);
    if (rows) {
      info.kind = ObservationKind::rows;
      if (!typical || !(*typical > 0 && *typical <= 1e9))
        table.refuse_missing("typical", "'x.typical' is missing: how many rows a typical observation has, above 0");
      info.rows = *typical;
    }
    return;
  }
  double numbers = 1;
  for (const std::int64_t n : *shape) numbers *= static_cast<double>(n);
  if ((shape->size() != 1 && shape->size() != 3) || numbers > static_cast<double>(kMostNumbers))
    table.refuse_table(
        fmt::format("'x.shape' must be [numbers] or [channels, height, width], of at most {} numbers", kMostNumbers));
  info.observation_shape = *shape;
  info.kind = ObservationKind::image;
  if (shape->size() == 3) return;
  if (shape->front() > kMostColumns)
    table.refuse_table(
        fmt::format("'x.shape' is {} numbers; of points at most {} can be learned from, so summarize an observation or "
                    "make it an image, shape = [channels, height, width]",
                    shape->front(), kMostColumns));
  info.kind = ObservationKind::points;
  for (std::int64_t k = 1; k <= shape->front(); ++k)
    info.observation_columns.push_back(shape->front() == 1 ? "x" : fmt::format("x{}", k));
}

}  // namespace pairs::own
