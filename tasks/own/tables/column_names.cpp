#include "tasks/own/tables/column_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

// Limits on the tables and characters that a sentence lists.
constexpr std::size_t kListedTables = 8, kListedText = 300;

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Whether columns are requested by number: "column 2".
bool are_numbers(const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [](const std::string& name) { return name.starts_with("column "); });
}

bool is_called(const TableFacts& table, std::string name) {
  const auto bare = [](std::string_view text) { return text.starts_with('/') ? text.substr(1) : text; };
  if (bare(table.name) == bare(name) || (!table.also.empty() && bare(table.also) == bare(name))) return true;
  return table.any_case && in_lower_case(table.name) == in_lower_case(name);
}

// "GTI (START, STOP); EVENTS (X, Y)".
std::string tables_text(const std::vector<TableFacts>& tables) {
  std::vector<std::string> all;
  for (const TableFacts& one : tables) {
    if (all.size() == kListedTables) break;
    all.push_back(fmt::format("{} ({})", printable(one.name, 100),
                              printable(ColumnNames(one.columns, one.named, one.any_case).text(), kListedText)));
  }
  std::string text = fmt::format("{}", fmt::join(all, "; "));
  if (tables.size() > all.size()) text += fmt::format("; and {} more", tables.size() - all.size());
  return text;
}

}  // namespace

bool ColumnNames::same(const std::string& one, const std::string& other) const {
  return any_case_ ? in_lower_case(one) == in_lower_case(other) : one == other;
}

std::vector<std::size_t> ColumnNames::numbers_of(const std::string& vector) const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (!columns_[k].vector.empty() && columns_[k].vector == vector) places.push_back(k);
  return places;
}

std::vector<std::size_t> ColumnNames::find(const std::string& name) const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].name == name) places.push_back(k);
  if (!places.empty()) return places;
  if (places = numbers_of(name); !places.empty()) return places;
  for (std::size_t k = 0; any_case_ && k < columns_.size(); ++k)
    if (same(columns_[k].name, name) || (!columns_[k].vector.empty() && same(columns_[k].vector, name)))
      places.push_back(k);
  if (!places.empty()) return places;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (name == fmt::format("column {}", k + 1)) return {k};
  return {};
}

bool ColumnNames::called_twice(const std::string& name) const {
  const std::vector<std::size_t> places = find(name);
  const auto vector = [&](std::size_t k) { return columns_[places[k]].vector; };
  for (std::size_t k = 1; k < places.size(); ++k)
    if (vector(k).empty() || vector(k) != vector(0) || columns_[places[k]].name == columns_[places[0]].name)
      return true;
  return false;
}

std::string ColumnNames::only_vector() const {
  if (columns_.empty()) return "";
  const std::string& vector = columns_.front().vector;
  const bool all = std::all_of(columns_.begin(), columns_.end(), [&](const auto& one) { return one.vector == vector; });
  return all ? vector : "";
}

std::vector<std::size_t> ColumnNames::instead_of(const std::vector<std::string>& wanted) const {
  if (are_numbers(wanted)) return {};
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < columns_.size(); ++k) all.push_back(k);
  if (all.size() == wanted.size() && (all.size() == 1 || !named_ || !only_vector().empty())) return all;
  const auto found = [&](const std::string& name) { return !find(name).empty(); };
  if (std::any_of(wanted.begin(), wanted.end(), found)) return {};
  std::vector<std::size_t> x = numbers_of("x");
  if (x.empty() && any_case_) x = numbers_of("X");
  return x.size() == wanted.size() ? x : std::vector<std::size_t>();
}

int ColumnNames::fit(const std::vector<std::string>& wanted) const {
  if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) { return !find(name).empty(); })) return 2;
  return instead_of(wanted).empty() ? 0 : 1;
}

std::string ColumnNames::text() const {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::string& vector = columns_[k].vector;
    if (vector.empty() || columns_[k].name == vector)
      all.push_back(columns_[k].name);
    else if (k == 0 || columns_[k - 1].vector != vector)
      all.push_back(fmt::format("{} ({} numbers per row)", vector, numbers_of(vector).size()));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::size_t pick_table(const std::vector<TableFacts>& tables, const TableChoice& choice, const std::string& where) {
  PAIRS_CHECK(!tables.empty(), "{} holds no table; give a file with a table of numbers", where);
  if (!choice.name.empty()) {
    std::vector<std::size_t> called;
    std::vector<std::string> numbers;
    for (std::size_t k = 0; k < tables.size(); ++k)
      if (is_called(tables[k], choice.name)) {
        called.push_back(k);
        numbers.push_back(printable(tables[k].also, 100));
      }
    if (called.size() == 1) return called.front();
    if (called.size() > 1)
      fail("{} has {} tables called {}; choose one by its number: --table {}", where, called.size(),
           printable(choice.name, 100), fmt::join(numbers, ", or "));
    fail("{} has no table {}; it has {}", where, printable(choice.name, 100), tables_text(tables));
  }
  if (tables.size() == 1 || choice.wanted.empty()) return 0;
  std::vector<std::size_t> best;
  int fits = 1;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const TableFacts& one = tables[k];
    const int fit = ColumnNames(one.columns, one.named, one.any_case).fit(choice.wanted);
    if (fit > fits) best.clear();
    if (fit >= fits) best.push_back(k);
    fits = std::max(fits, fit);
  }
  if (best.size() == 1) return best.front();
  const std::string wanted = printable(fmt::format("{}", fmt::join(choice.wanted, ", ")), kListedText);
  if (!best.empty()) {
    std::vector<std::string> names;
    for (const std::size_t k : best) {
      const TableFacts& one = tables[k];
      const auto called = std::count_if(tables.begin(), tables.end(),
                                        [&](const TableFacts& other) { return is_called(other, one.name); });
      names.push_back(printable(called > 1 ? one.also : one.name, 100));
    }
    if (names.size() > kListedTables) names.resize(kListedTables);
    fail("{} has {} tables that may hold {}: {}; choose one with --table NAME", where, best.size(), wanted,
         fmt::join(names, ", "));
  }
  std::vector<std::string> columns;
  for (const TableFacts& one : tables)
    for (const TableColumn& column : one.columns) columns.push_back(column.name);
  throw ColumnsError(fmt::format("{} has no table with the columns {}; it has {}; choose one with --table NAME and its "
                                 "columns with --columns",
                                 where, wanted, tables_text(tables)),
                     columns);
}

}  // namespace pairs
