#include "app/posterior/set/group_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/kinds/observed.h"
#include "app/kinds/points/points_columns.h"
#include "core/base/files/files.h"
#include "core/base/tables/csv_line.h"
#include "core/base/tables/csv_records.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "tasks/file_format.h"
#include "tasks/file_reader.h"
#include "tasks/program_table.h"
#include "tasks/table_file.h"

namespace pairs {
namespace {

std::vector<std::string> columns_in(const std::filesystem::path& file, const Task& task, const TableColumns& read) {
  const std::string ending = ending_of_format(file);
  try {
    const TableChoice choice{.name = read.table, .wanted = wanted_columns(task.info(), read)};
    const std::string reader = read.reader.empty() ? file_reader(task, file) : read.reader;
    if (!reader.empty()) return open_table_by(reader, file, choice)->names();
    if (ending == ".csv") return CsvRecords(file, task.info().observation_columns).columns();
    const std::vector<std::string>& tables = table_endings();
    if (std::ranges::find(tables, ending) != tables.end()) return open_table(file, choice)->names();
  } catch (const Error&) {
    // Reading it reports the error.
  }
  return {};
}

}  // namespace

std::vector<std::string> spare_columns(const std::filesystem::path& file, const Task& task, const TableColumns& asked) {
  TableColumns read = asked;
  read.files = file_columns(task);
  const std::vector<std::string>& chosen = read.chosen;
  std::vector<std::string> taken = chosen.empty() ? task.info().observation_columns : chosen;
  if (chosen.empty())
    for (const FileColumn& one : read.files) taken.push_back(one.from);
  std::vector<std::string> spare = columns_in(file, task, read);
  const std::size_t needed = chosen.empty() ? task.info().observation_columns.size() : chosen.size();
  if (spare.size() <= needed) return {};  // a column alone may have any name
  std::erase_if(spare, [&](const std::string& name) { return std::ranges::find(taken, name) != taken.end(); });
  return spare;
}

std::size_t place_of_group(const std::vector<std::string>& names, bool named, const std::string& group,
                           const std::string& where) {
  const auto count = std::count(names.begin(), names.end(), group);
  PAIRS_CHECK(count <= 1, "{} has more than one column {}; name its columns apart", where, printable(group));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == group || (count == 0 && fmt::format("column {}", k + 1) == group)) return k;
  throw ColumnsError(fmt::format("{} has no column {} to separate sets by; {} {}", where, printable(group),
                                 named ? "it has" : "its first line names none: it has",
                                 printable(fmt::format("{}", fmt::join(names, ", ")), 300)),
                     names);
}

std::vector<std::string> columns_of_x(const ManySets& sets, const TaskInfo& info, const std::vector<std::string>& names,
                                      bool named, std::size_t place, const std::string& where) {
  const std::string& group = names[place];
  for (const std::string& column : sets.columns.chosen)
    if (column == group) fail_usage("Column {} cannot both be an observation and separate the sets", group);
  if (!sets.columns.chosen.empty()) return sets.columns.chosen;
  std::vector<std::string> wanted = info.observation_columns;
  for (std::size_t k = 0; k < sets.columns.files.size(); ++k) wanted[k] = sets.columns.files[k].from;
  if (named && std::find(wanted.begin(), wanted.end(), group) != wanted.end())
    fail_usage("--group {} names a column that the task {} reads; name the one that separates sets",
               printable(group, 100), info.name);
  const bool one = wanted.size() == 1 && names.size() == 2;  // a single column may have any name
  if (named && !one) return wanted;
  PAIRS_CHECK(names.size() == wanted.size() + 1,
              "{} has {} besides the one that separates sets, but task {} needs {}: {}; choose with --columns", where,
              counted(names.size() - 1, "column"), info.name, wanted.size(), fmt::join(wanted, ", "));
  std::vector<std::string> others;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (k != place) others.push_back(named ? names[k] : fmt::format("column {}", k + 1));
  return others;
}

std::string set_name(std::string_view name) {
  constexpr std::size_t kLongestName = 200;
  std::string shown;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t end = std::min(name.find('\\', i), name.size());
    shown += printable(name.substr(i, end - i), name.size());
    if (end < name.size()) {
      const std::string_view rest = name.substr(end + 1);
      const std::string next = printable(rest.substr(0, 4), rest.size());
      const bool escape = !next.empty() && (next[0] == 'x' || next[0] == 'u' || next[0] == 'U' || next[0] == '\\');
      shown += escape ? "\\\\" : "\\";
    }
    i = end + 1;
  }
  if (shown.size() <= kLongestName) return shown;
  std::size_t cut = kLongestName;
  while (cut > 0 && (static_cast<unsigned char>(shown[cut]) & 0xC0) == 0x80) --cut;
  return fmt::format("{}...{:08x}", shown.substr(0, cut), checksum(name));
}

bool means_set(std::string_view given, std::string_view name) {
  return given == name || set_name(given) == name;
}

bool names_a_set(std::string_view text) {
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  text = trimmed(text);
  return !text.empty() && !std::ranges::equal(text, std::string_view("nan"), same);
}

void fail_nameless(const ErrorPlace& place, std::int64_t rows) {
  fail(place, "the row does not name the set it belongs to{}; fill it in or drop it",
       rows > 1 ? fmt::format(", and {} more do not", count_text(rows - 1)) : "");
}

std::vector<std::string> columns_of_given(const ManySets& sets, const TaskInfo& info,
                                          const std::vector<std::string>& names, const std::string& where) {
  std::vector<std::string> wanted;
  for (const Given& one : info.given) {
    const bool there = std::find(names.begin(), names.end(), one.name) != names.end();
    if (!there && sets.given_known) return {};
    if (!there)
      fail_usage("Sets of task {} come with {}: {} has no such column; add it, or name one for all with --conditions",
                 info.name, one.name, where);
    wanted.push_back(one.name);
  }
  return wanted;
}

}  // namespace pairs
