#include "app/posterior/set/grouped_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app/kinds/observed.h"
#include "app/kinds/points/points_columns.h"
#include "app/posterior/set/group_columns.h"
#include "core/base/tables/csv_lines.h"
#include "core/base/tables/csv_records.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kGatheredBytes = 64 << 20;  // of scattered rows in memory at once

// The lines of one set as in the file.
struct SetLines {
  std::string text;                   // each ends in '\n'
  std::vector<std::int64_t> numbers;  // of each line in the file
  std::int64_t rows = 0;              // of the set; the lines may be only the first of them

  void add(std::string_view line, std::int64_t number, std::int64_t most) {
    if (rows++ >= most) return;
    text.append(line);
    text += '\n';
    numbers.push_back(number);
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(text.size() + 8 * numbers.size()); }
};

// How to read the lines of the file: the column that names the set, and those of the observations.
struct TableForm {
  char separator = ',';
  std::size_t place = 0;    // of the column that names the set, from 0
  CsvLines lines{"", {}};   // initialized by the first rows
  bool given = false;       // the last columns are the conditions of the set
  std::int64_t header = 0;  // lines above the first row
};

TableForm form_of(CsvRecords& rows, const ManySets& sets, const TaskInfo& info, const std::string& where) {
  TableForm form;
  form.separator = rows.separator();
  const bool named = rows.named();
  const std::vector<std::string> names = rows.columns();
  form.place = place_of_group(names, named, sets.group, where);
  std::vector<std::string> wanted = columns_of_x(sets, info, names, named, form.place, where);
  const std::vector<std::string> given = columns_of_given(sets, info, names, where);
  form.given = !given.empty();
  wanted.insert(wanted.end(), given.begin(), given.end());
  form.lines = CsvLines(where, wanted, true);
  form.header = rows.first_row() - 1;
  try {
    rows.teach(form.lines);
  } catch (const ColumnsError& error) {
    throw with_advice(error);
  }
  return form;
}

// The column names in a comment above the rows, if any.
std::vector<std::string> names_of(const ManySets& sets, const TaskInfo& info) {
  std::vector<std::string> names = sets.columns.chosen.empty() ? info.observation_columns : sets.columns.chosen;
  if (!sets.group.starts_with("column ")) names.push_back(sets.group);
  return names;
}

class GroupedCsv final : public SetStream {
 public:
  GroupedCsv(const ManySets& sets, const TaskInfo& info)
      : info_(info),
        missing_(sets.columns.missing),
        most_(missing_ == Missing::drop ? std::numeric_limits<std::int64_t>::max() : sets.most),
        used_(sets.most),
        files_(sets.columns.files),
        where_(printable(sets.data.string(), 300)),
        reader_(sets.data, names_of(sets, info)),
        form_(form_of(reader_, sets, info, where_)) {
    index();
  }

  std::int64_t count() const override { return static_cast<std::int64_t>(names_.size()) + (nameless_ > 0 ? 1 : 0); }

  bool next(ComingSet& set) override {
    if (next_ < names_.size()) {
      if (!contiguous_ && next_ >= gathered_end_) gather();
      SetLines lines = contiguous_ ? following() : std::move(gathered_[next_ - gathered_first_]);
      if (lines.rows != rows_[next_]) changed();
      set.name = set_name(names_[next_]);
      set.bytes = lines.bytes();
      set.read = reading(std::move(lines));
      ++next_;
      return true;
    }
    if (nameless_ == 0 || reported_) return false;
    reported_ = true;
    set = {"(none)", 0, [place = ErrorPlace(where_, first_nameless_), rows = nameless_]() -> Observed {
             fail_nameless(place, rows);
           }};
    return true;
  }

 private:
  [[noreturn]] void changed() const { fail("{} was changed while it was read; ask again", where_); }

  void rewind() {
    reader_.rewind();
    held_ = false;
  }

  // The next row and the name of its set, "" without one; false at the end.
  bool advance() {
    while (reader_.next(line_)) {
      std::string_view rest = line_;
      bool more = true;
      group_ = {};
      const std::size_t place = form_.place + reader_.shift();
      for (std::size_t k = 0; k <= place && more; ++k) {
        const std::string_view cell = take_csv_cell_quoted(rest, form_.separator, more).whole;
        if (k != place) continue;
        group_ = cell;
        if (cell.find('"') == cell.npos) continue;
        unquoted_ = csv_text(cell);
        group_ = unquoted_;
      }
      return held_ = true;
    }
    return held_ = false;
  }

  // Counts the rows of each set, and checks whether they are adjacent.
  void index() {
    rewind();
    std::size_t last = 0;
    std::int64_t bytes = 0, rows = 0;
    while (advance()) {
      bytes += static_cast<std::int64_t>(line_.size()) + 9;
      ++rows;
      if (!names_a_set(group_)) {
        if (nameless_++ == 0) first_nameless_ = reader_.number();
        continue;
      }
      if (!names_.empty() && names_[last] == group_) {
        ++rows_[last];
        continue;
      }
      const auto [at, fresh] = places_.try_emplace(std::string(group_), names_.size());
      if (fresh) {
        names_.push_back(at->first);
        rows_.push_back(0);
      }
      contiguous_ = contiguous_ && fresh;
      last = at->second;
      ++rows_[last];
    }
    PAIRS_CHECK(rows > 0, "{} holds no numbers; give at least one line of them", where_);
    row_bytes_ = static_cast<double>(bytes) / static_cast<double>(rows);
    rewind();
  }

  // The rows of the next set in a file in which each set's rows are adjacent.
  SetLines following() {
    SetLines lines;
    while (held_ || advance()) {
      if (names_a_set(group_)) {
        if (group_ != names_[next_]) break;
        lines.add(line_, reader_.number(), most_);
      }
      held_ = false;
    }
    return lines;
  }

  // Collects the rows of the next sets, as many as fit.
  void gather() {
    gathered_first_ = gathered_end_ = next_;
    double bytes = 0;
    while (gathered_end_ < names_.size() && (bytes == 0 || bytes + set_bytes(gathered_end_) <= kGatheredBytes))
      bytes += set_bytes(gathered_end_++);
    gathered_.assign(gathered_end_ - gathered_first_, {});
    rewind();
    while (advance()) {
      if (!names_a_set(group_)) continue;
      const auto at = places_.find(std::string(group_));
      if (at == places_.end()) changed();
      if (at->second >= gathered_first_ && at->second < gathered_end_)
        gathered_[at->second - gathered_first_].add(line_, reader_.number(), most_);
    }
  }
  double set_bytes(std::size_t set) const {
    return row_bytes_ * static_cast<double>(std::min(rows_[set], most_)) + sizeof(SetLines);
  }

  // Converts the lines to observations.
  std::function<Observed()> reading(SetLines set) const {
    return [set = std::move(set), lines = form_.lines, &info = info_, &files = files_, header = form_.header,
            where = where_, first = next_ == 0, given = form_.given ? info_.given_size() : 0, missing = missing_,
            most = used_]() mutable {
      std::vector<double> values;
      std::string_view text = set.text;
      std::int64_t broken = 0, rows = 0;
      std::int64_t first_broken = 0;
      for (const std::int64_t number : set.numbers) {
        const std::size_t end = text.find('\n');
        lines.go_to(static_cast<std::size_t>(number));
        const std::size_t before = values.size();
        if (lines.take(text.substr(0, end), values)) {
          ++rows;
          const std::size_t x = values.size() - before - static_cast<std::size_t>(given);
          if (!all_finite(values.data() + before, x)) {
            if (broken++ == 0) first_broken = number;
            values.resize(before);
          } else if (missing == Missing::drop && rows - broken > most) {
            values.resize(before);
          } else {
            convert_columns(files, where, number - 1 - header, 1, values.data() + before);  // of x, which come first
          }
        }
        text.remove_prefix(end + 1);
      }
      lines.check(false);
      if (broken > 0 && (missing != Missing::drop || broken == rows))
        fail(ErrorPlace{where, first_broken},
             "the row lacks a value, or has one that is not finite, as {} of the set's {} rows do; {}",
             count_text(broken), count_text(rows),
             broken == rows && missing == Missing::drop ? "none is left without them"
                                                        : "repair them, or leave them out with --missing drop");
      const auto width = static_cast<std::int64_t>(lines.numbers());
      torch::Tensor table = torch::empty({static_cast<std::int64_t>(values.size()) / width, width}, torch::kFloat64);
      std::memcpy(table.data_ptr(), values.data(), values.size() * sizeof(double));
      Observed observed = room_of(info).checked(table.slice(1, 0, width - given).contiguous(), info, where);
      if (given > 0) observed.given = given_of_rows(stated_rows(table.slice(1, width - given), missing), info, where);
      observed.held = set.rows - broken;
      observed.dropped = broken;
      if (first) observed.warnings = lines.warnings();  // of the whole file
      if (broken > 0) observed.warnings.push_back(dropped_text(broken, set.rows));
      return observed;
    };
  }

  const TaskInfo& info_;
  Missing missing_;
  std::int64_t most_, used_;  // rows read of a set, and how many of them are used
  std::vector<FileColumn> files_;
  std::string where_;
  CsvRecords reader_;
  TableForm form_;

  std::deque<std::string> names_;  // of the sets, in the order of their first rows
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::int64_t> rows_;
  bool contiguous_ = true, reported_ = false;
  std::int64_t nameless_ = 0, first_nameless_ = 0;
  double row_bytes_ = 0;

  std::size_t next_ = 0;  // the set that comes next
  std::vector<SetLines> gathered_;
  std::size_t gathered_first_ = 0, gathered_end_ = 0;

  std::string_view line_, group_;  // of the last row
  std::string unquoted_;           // that group_ may be
  bool held_ = false;              // the last row was not taken yet
};

}  // namespace

std::unique_ptr<SetStream> open_grouped_csv(const ManySets& sets, const TaskInfo& info) {
  return std::make_unique<GroupedCsv>(sets, info);
}

}  // namespace pairs
