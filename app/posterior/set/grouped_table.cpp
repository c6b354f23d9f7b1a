#include "app/posterior/set/grouped_table.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/kinds/observation_room.h"
#include "app/kinds/observed.h"
#include "app/kinds/points/points_columns.h"
#include "app/posterior/set/group_columns.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "tasks/program_table.h"

namespace pairs {
namespace {

constexpr std::int64_t kRowsAtOnce = 1 << 16;
constexpr double kMostGathered = 64 << 20;  // bytes of scattered rows in memory at once

// Rows of one set as in the table, or why they are unreadable.
struct SetRowsRead {
  std::vector<double> values;
  std::vector<std::int64_t> numbers;  // of each row in the table, from 0
  std::string problem = {};           // a sentence
  std::int64_t dropped = 0;           // omitted rows of the set
  std::int64_t bytes() const { return static_cast<std::int64_t>(sizeof(double) * values.size()); }
};

// How rows become a set: the treatment of missing values, the maximum number of rows, and the number `given` of
// condition columns, the last of the `width` columns.
struct RowsUse {
  Missing missing = Missing::refuse;
  std::int64_t most = 0, width = 0, given = 0;
  std::vector<std::string> columns = {};  // names

  std::size_t x() const { return static_cast<std::size_t>(width - given); }
  // Adds a row of the table, or counts it as omitted.
  void add(const double* row, std::int64_t number, SetRowsRead& rows) const {
    if (missing == Missing::drop && !all_finite(row, x())) {
      ++rows.dropped;
      return;
    }
    if (static_cast<std::int64_t>(rows.numbers.size()) >= most) return;
    rows.values.insert(rows.values.end(), row, row + width);
    rows.numbers.push_back(number);
  }
  // Throws if rows of the set have missing values.
  void check(const SetRowsRead& rows, const std::string& where) const {
    std::int64_t broken = 0;
    std::string first;
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
      const double* const row = rows.values.data() + i * static_cast<std::size_t>(width);
      if (all_finite(row, x()) || ++broken > 1) continue;
      std::size_t k = 0;
      while (std::isfinite(row[k])) ++k;
      first = fmt::format("column {} of row {}", printable(columns[k]), count_text(rows.numbers[i] + 1));
    }
    if (broken > 0) fail_missing(where, broken, static_cast<std::int64_t>(rows.numbers.size()), first);
  }
};

// The rows of a set of `all` rows, converted to the task's units.
Observed observed_rows(SetRowsRead rows, std::int64_t all, const RowsUse& use, const std::vector<FileColumn>& files,
                       const std::string& where, const TaskInfo& info) {
  if (!rows.problem.empty()) fail("{}", rows.problem);
  const std::int64_t width = use.width, given = use.given;
  const auto count = static_cast<std::int64_t>(rows.numbers.size());
  if (count == 0 && rows.dropped > 0)
    fail("{}: each of the set's {} rows has a value that is missing or not finite, so that none is left", where,
         count_text(all));
  use.check(rows, where);
  torch::Tensor table = torch::empty({count, width}, torch::kFloat64);
  auto* const at = table.mutable_data_ptr<double>();
  std::memcpy(at, rows.values.data(), rows.values.size() * sizeof(double));
  for (std::int64_t i = 0; i < count; ++i)
    convert_columns(files, where, rows.numbers[static_cast<std::size_t>(i)], 1, at + i * width);
  Observed observed = room_of(info).checked(table.slice(1, 0, width - given).contiguous(), info, where);
  if (given > 0) observed.given = given_of_rows(stated_rows(table.slice(1, width - given), use.missing), info, where);
  observed.held = all - rows.dropped;
  observed.dropped = rows.dropped;
  if (rows.dropped > 0) observed.warnings.push_back(dropped_text(rows.dropped, all));
  return observed;
}

class GroupedTable final : public SetStream {
 public:
  GroupedTable(const ManySets& sets, const TaskInfo& info)
      : info_(info),
        most_(sets.most),
        files_(sets.columns.files),
        table_(open_grouped(sets, info)),
        group_(open_grouped(sets, info)) {  // reads them in their own order
    const std::string& where = table_->where();
    std::vector<std::string> names = table_->names();
    for (std::size_t k = 0; k < names.size() && !table_->named(); ++k) names[k] = fmt::format("column {}", k + 1);
    std::string group = sets.group;
    const auto in_another_case = [&](const std::string& name) {
      return ::strcasecmp(name.c_str(), group.c_str()) == 0;
    };
    if (table_->any_case() && std::find(names.begin(), names.end(), group) == names.end())
      if (const auto found = std::find_if(names.begin(), names.end(), in_another_case); found != names.end())
        group = *found;
    place_ = place_of_group(names, table_->named(), group, where);
    std::vector<std::string> wanted = columns_of_x(sets, info, names, table_->named(), place_, where);
    const std::vector<std::string> given = columns_of_given(sets, info, names, where);
    places_ = places_in(*table_, wanted, static_cast<std::size_t>(info.observation_shape[0]));
    if (!given.empty()) {
      const std::vector<std::size_t> further = places_in(*table_, given);
      places_.insert(places_.end(), further.begin(), further.end());
    }
    use_ = {sets.columns.missing, most_, static_cast<std::int64_t>(places_.size()),
            static_cast<std::int64_t>(given.size())};
    for (const std::size_t place : places_) use_.columns.push_back(table_->columns()[place].name);
    index();
  }

  std::int64_t count() const override { return static_cast<std::int64_t>(names_.size()) + (nameless_ > 0 ? 1 : 0); }

  bool next(ComingSet& set) override {
    if (next_ == names_.size()) return next_nameless(set);
    if (!contiguous_ && next_ >= gathered_end_) gather();
    SetRowsRead rows = contiguous_ ? following() : std::move(gathered_[next_ - gathered_first_]);
    set.name = set_name(names_[next_]);
    set.bytes = rows.bytes();
    set.read = [rows = std::move(rows), held = rows_[next_], this]() mutable {
      return observed_rows(std::move(rows), held, use_, files_, table_->where(), info_);
    };
    ++next_;
    return true;
  }

 private:
  // The last rows read.
  struct Block {
    std::int64_t first = 0, count = 0;
    bool good = false;
    std::vector<double> values;
  };

  bool next_nameless(ComingSet& set) {
    if (nameless_ == 0 || std::exchange(reported_, true)) return false;
    set = {"(none)", 0, [where = table_->where(), row = first_nameless_, rows = nameless_]() -> Observed {
             fail("{}: row {} does not name the set it belongs to{}; fill it in or drop it", where, count_text(row + 1),
                  rows > 1 ? fmt::format(", and {} more do not", count_text(rows - 1)) : "");
           }};
    return true;
  }

  static std::unique_ptr<TableFile> open_grouped(const ManySets& sets, const TaskInfo& info) {
    TableChoice choice{.name = sets.columns.table, .wanted = wanted_columns(info, sets.columns)};
    choice.wanted.push_back(sets.group);
    return open_table_by(sets.columns.reader, sets.data, choice);
  }

  // Calls take(row, name) for every row.
  template <class Take>
  void each_row(Take&& take) {
    std::vector<std::string> texts;
    for (std::int64_t first = 0; first < group_->rows(); first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, group_->rows() - first);
      group_->read_texts(first, count, place_, texts);
      for (std::int64_t i = 0; i < count; ++i) take(first + i, texts[static_cast<std::size_t>(i)]);
    }
  }

  // Counts the rows of each set, and checks whether they are adjacent.
  void index() {
    std::size_t last = 0;
    each_row([&](std::int64_t row, const std::string& name) {
      if (!names_a_set(name)) {
        if (nameless_++ == 0) first_nameless_ = row;
        broken_ = true;
        return;
      }
      if (names_.empty() || names_[last] != name) {
        const auto [at, fresh] = places_of_.try_emplace(name, names_.size());
        if (fresh) {
          names_.push_back(name);
          rows_.push_back(0);
          starts_.push_back(row);
        }
        contiguous_ = contiguous_ && fresh;
        last = at->second;
      } else if (broken_) {
        contiguous_ = false;
      }
      broken_ = false;
      ++rows_[last];
    });
  }

  // The number of rows read of a set.
  std::int64_t kept(std::size_t set) const {
    return use_.missing == Missing::drop ? rows_[set] : std::min(rows_[set], most_);
  }

  // Reads the rows after the current ones.
  void add(std::int64_t first, std::int64_t count, SetRowsRead& rows) {
    if (!rows.problem.empty()) return;
    std::vector<double> read(static_cast<std::size_t>(count) * places_.size());
    try {
      table_->read_with_missing(first, count, places_, read.data());
      for (std::int64_t i = 0; i < count; ++i)
        use_.add(read.data() + static_cast<std::size_t>(i) * places_.size(), first + i, rows);
    } catch (const Error& error) {
      rows = {};
      rows.problem = error.what();
    }
  }

  SetRowsRead following() {
    SetRowsRead rows;
    const std::int64_t first = starts_[next_], count = kept(next_);
    if (count > kRowsAtOnce)
      for (std::int64_t from = first; from < first + count; from += kRowsAtOnce)
        add(from, std::min(kRowsAtOnce, first + count - from), rows);
    else
      for (std::int64_t row = first; row < first + count; ++row) take(row, block_, rows);
    return rows;
  }

  double bytes_of_set(std::size_t set) const {
    return static_cast<double>(std::min(rows_[set], most_)) * static_cast<double>(8 * places_.size() + 8) +
           sizeof(SetRowsRead);
  }

  // Collects the rows of the next sets, as many as fit.
  void gather() {
    gathered_first_ = gathered_end_ = next_;
    double bytes = 0;
    while (gathered_end_ < names_.size() && (bytes == 0 || bytes + bytes_of_set(gathered_end_) <= kMostGathered))
      bytes += bytes_of_set(gathered_end_++);
    gathered_.assign(gathered_end_ - gathered_first_, {});
    std::vector<std::int64_t> seen(gathered_.size(), 0);
    block_ = {};
    each_row([&](std::int64_t row, const std::string& name) {
      if (!names_a_set(name)) return;
      const auto at = places_of_.find(name);
      PAIRS_CHECK(at != places_of_.end(), "{} was changed while it was read; ask again", table_->where());
      if (at->second < gathered_first_ || at->second >= gathered_end_) return;
      const std::size_t k = at->second - gathered_first_;
      if (use_.missing == Missing::drop || seen[k]++ < most_) take(row, block_, gathered_[k]);
    });
  }

  // Adds a row from a block, which is read at once if it has no error.
  void take(std::int64_t row, Block& block, SetRowsRead& rows) {
    if (row < block.first || row >= block.first + block.count) {
      block.first = row;
      block.count = std::min(kRowsAtOnce, table_->rows() - row);
      block.values.resize(static_cast<std::size_t>(block.count) * places_.size());
      try {
        table_->read_with_missing(row, block.count, places_, block.values.data());
        block.good = true;
      } catch (const Error&) {
        block.good = false;  // the row's set reports the error
      }
    }
    if (!block.good) return add(row, 1, rows);
    if (!rows.problem.empty()) return;
    use_.add(block.values.data() + static_cast<std::size_t>(row - block.first) * places_.size(), row, rows);
  }

  const TaskInfo& info_;
  std::int64_t most_;
  std::vector<FileColumn> files_;
  std::unique_ptr<TableFile> table_, group_;
  std::size_t place_ = 0;  // of the column that names the set
  std::vector<std::size_t> places_;
  RowsUse use_;

  std::deque<std::string> names_;  // of the sets, in the order of their first rows
  std::unordered_map<std::string, std::size_t> places_of_;
  std::vector<std::int64_t> rows_, starts_;
  bool contiguous_ = true, broken_ = false, reported_ = false;
  std::int64_t nameless_ = 0, first_nameless_ = 0;

  Block block_;
  std::size_t next_ = 0;  // the set that comes next
  std::vector<SetRowsRead> gathered_;
  std::size_t gathered_first_ = 0, gathered_end_ = 0;
};

class SetsInGroups final : public SetStream {
 public:
  SetsInGroups(const ManySets& sets, std::unique_ptr<TableGroups> groups, const TaskInfo& info)
      : info_(info), sets_(sets), groups_(std::move(groups)) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(groups_->names().size()); }
  std::vector<std::string> left_out() const override { return groups_->others(); }

  bool next(ComingSet& set) override {
    if (next_ == groups_->names().size()) return false;
    const std::string& name = groups_->names()[next_++];
    set = {set_name(name), 0, [this, &name] { return read(name); }};
    return true;
  }

 private:
  Observed read(const std::string& name) const {
    const std::unique_ptr<TableFile> table = groups_->open(name);
    PAIRS_CHECK(table->rows() > 0, "{} holds no observation; a set needs at least one", table->where());
    std::vector<std::string> wanted = wanted_columns(info_, sets_.columns);
    const std::vector<std::string> given = columns_of_given(sets_, info_, table->names(), table->where());
    std::vector<std::size_t> places = places_in(*table, wanted, static_cast<std::size_t>(info_.observation_shape[0]));
    if (!given.empty()) {
      const std::vector<std::size_t> further = places_in(*table, given);
      places.insert(places.end(), further.begin(), further.end());
    }
    RowsUse use{sets_.columns.missing, sets_.most, static_cast<std::int64_t>(places.size()),
                static_cast<std::int64_t>(given.size())};
    for (const std::size_t place : places) use.columns.push_back(table->columns()[place].name);
    const std::int64_t count = use.missing == Missing::drop ? table->rows() : std::min(table->rows(), sets_.most);
    SetRowsRead rows;
    std::vector<double> block;
    for (std::int64_t first = 0; first < count; first += kRowsAtOnce) {
      const std::int64_t read = std::min(kRowsAtOnce, count - first);
      block.resize(static_cast<std::size_t>(read) * places.size());
      table->read_with_missing(first, read, places, block.data());
      for (std::int64_t i = 0; i < read; ++i)
        use.add(block.data() + static_cast<std::size_t>(i) * places.size(), first + i, rows);
    }
    return observed_rows(std::move(rows), table->rows(), use, sets_.columns.files, table->where(), info_);
  }

  const TaskInfo& info_;
  ManySets sets_;
  std::unique_ptr<TableGroups> groups_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<SetStream> open_grouped_table(const ManySets& sets, const TaskInfo& info) {
  return std::make_unique<GroupedTable>(sets, info);
}

std::unique_ptr<SetStream> open_sets_in_groups(const ManySets& sets, std::unique_ptr<TableGroups> groups,
                                               const TaskInfo& info) {
  return std::make_unique<SetsInGroups>(sets, std::move(groups), info);
}

}  // namespace pairs
