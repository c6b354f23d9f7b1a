#include "app/posterior/set/set_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "app/kinds/arrays.h"
#include "app/kinds/points/points_columns.h"
#include "app/posterior/set/group_columns.h"
#include "app/posterior/set/grouped_csv.h"
#include "app/posterior/set/grouped_table.h"
#include "core/base/files/npz_texts.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/sets/observations_file.h"
#include "tasks/file_format.h"
#include "tasks/file_reader.h"
#include "tasks/table_file.h"
#include "tasks/view_folder.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

std::string reader_of(const ManySets& sets, const fs::path& file) {
  return sets.reader ? sets.reader(file) : "";
}

bool holds_a_set(const fs::directory_entry& entry, const ManySets& sets, const TaskInfo& info) {
  std::error_code error;
  if (!entry.is_directory(error) && !reader_of(sets, entry.path()).empty()) return true;
  if (entry.is_directory(error)) return true;
  const std::vector<std::string> endings = observation_endings(info);
  const std::string whole = whole_ending(entry.path());
  const std::string ending = whole.ends_with(".gz") ? whole.substr(0, whole.size() - 3) : whole;
  if (std::find(endings.begin(), endings.end(), ending) == endings.end()) return false;
  // Text files with these names may be notes.
  return (ending != ".txt" && ending != ".dat") || is_text_table(entry.path());
}

// A folder with such files, or with cameras of views, is itself a set.
bool is_part_of_a_set(const fs::directory_entry& entry) {
  const std::string extension = whole_ending(entry.path());
  for (const char* picture : {".png", ".jpg", ".jpeg", ".bmp", ".tga"})
    if (extension == picture) return true;
  return entry.path().filename() == kCamerasFile;
}

// Whether a folder is one table that a program wrote in parts, not a folder of sets.
bool holds_parts(const fs::path& folder, const TaskInfo& info) {
  return room_of(info).lines(info, "") != nullptr && !table_parts(folder).empty();
}

// One set per file or folder.
class FolderOfSets final : public SetStream {
 public:
  FolderOfSets(ManySets sets, const TaskInfo& info) : sets_(std::move(sets)), info_(info) {
    for (const fs::directory_entry& entry : fs::directory_iterator(sets_.data)) {
      if (is_hidden(entry.path())) continue;
      if (holds_a_set(entry, sets_, info))
        files_.push_back(entry.path());
      else
        left_out_.push_back(printable(entry.path().filename().string(), 200));
    }
    std::sort(files_.begin(), files_.end());
    std::sort(left_out_.begin(), left_out_.end());
  }
  std::vector<std::string> left_out() const override { return left_out_; }
  std::int64_t count() const override { return static_cast<std::int64_t>(files_.size()); }
  bool next(ComingSet& set) override {
    if (next_ == files_.size()) return false;
    const fs::path& file = files_[next_++];
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    set = {set_name(file.filename().string()), error ? 0 : static_cast<std::int64_t>(bytes),
           [file, &sets = sets_, &info = info_] {
             TableColumns columns = sets.columns;
             columns.reader = fs::is_directory(file) ? "" : reader_of(sets, file);
             Observed observed = read_observed_columns(file, info, sets.most, columns);
             if (!sets.given_known || holds_given(file, info, columns))
               observed.given = read_given("", file, info, columns);
             return observed;
           }};
    return true;
  }

 private:
  ManySets sets_;
  const TaskInfo& info_;
  std::vector<fs::path> files_;
  std::vector<std::string> left_out_;
  std::size_t next_ = 0;
};

// The names in the array of an .npz file that names the sets: whole numbers as such.
std::vector<std::string> array_names(const torch::Tensor& group) {
  std::vector<std::string> names;
  if (group.is_floating_point()) {
    const torch::Tensor values = group.to(torch::kFloat64).contiguous();
    const double* at = values.const_data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) names.push_back(fmt::format("{}", at[i]));
    return names;
  }
  const torch::Tensor values = group.to(torch::kInt64).contiguous();
  const auto* at = values.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < values.numel(); ++i) names.push_back(fmt::format("{}", at[i]));
  return names;
}

// An .npz file with an array that gives each observation's set. Held in memory completely.
class GroupedArrays final : public SetStream {
 public:
  GroupedArrays(const ManySets& sets, const TaskInfo& info)
      : info_(info), most_(sets.most), missing_(sets.columns.missing) {
    where_ = printable(sets.data.string(), 300);
    NpzReader arrays(sets.data);
    const auto found = arrays.shapes().find(sets.group);
    std::vector<std::string> names;
    if (found == arrays.shapes().end()) names = read_npz_texts(sets.data, sets.group);
    PAIRS_CHECK(found != arrays.shapes().end() || !names.empty(), "{} holds no array {} to separate sets by", where_,
                printable(sets.group));
    block_ = arrays.shapes().contains(kBlockArray) && !arrays.shapes().contains(kRowOffsetsArray);
    // Checks sets one by one, so that an error affects only its set.
    TableColumns columns = sets.columns;
    columns.missing = Missing::keep;
    if (block_ && !names_of_x(arrays, sets.data).empty()) block_ = false;  // read by these
    x_ = block_ ? Observations(read_masked(arrays, sets.data, "x"))
                : read_observed_columns(sets.data, info, std::numeric_limits<std::int64_t>::max(), columns).x;
    block_ = block_ || !x_.is_ragged();
    PAIRS_CHECK(x_.count() > 0, "{} holds no observation; a set needs at least one", where_);
    if (found != arrays.shapes().end()) {
      const torch::Tensor group = arrays.read(sets.group).squeeze();
      PAIRS_CHECK(group.dim() <= 1 && group.numel() == x_.count() && !group.is_complex(),
                  "{}: the array {} has the shape {}, but one number for each of {} observations is needed", where_,
                  printable(sets.group), shape_text(found->second), x_.count());
      names = array_names(group.reshape({-1}));
    }
    PAIRS_CHECK(static_cast<std::int64_t>(names.size()) == x_.count(),
                "{}: the array {} holds {} texts, but one for each of {} observations is needed", where_,
                printable(sets.group), names.size(), x_.count());
    for (std::size_t i = 0; i < names.size(); ++i)
      PAIRS_CHECK(
          names_a_set(names[i]),
          "{}: the array {} does not name the set that observation {} belongs to; fill it in, or drop the observation",
          where_, printable(sets.group), count_text(static_cast<std::int64_t>(i) + 1));
    if (!info.given.empty() && (!sets.given_known || holds_given_of(arrays))) read_given_of(arrays, sets.data);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [at, fresh] = places.try_emplace(names[i], names_.size());
      if (fresh) {
        names_.push_back(names[i]);
        rows_.emplace_back();
      }
      rows_[at->second].push_back(static_cast<std::int64_t>(i));
    }
    if (given_.defined()) {
      given_of_sets_ = given_.size(0) == static_cast<std::int64_t>(names_.size());
      PAIRS_CHECK(given_of_sets_ || given_.size(0) == x_.count(),
                  "{}: the array of conditions has {} rows; one for each of {} sets, or of {} observations, is needed",
                  where_, given_.size(0), names_.size(), x_.count());
    }
  }
  std::int64_t count() const override { return static_cast<std::int64_t>(names_.size()); }
  bool next(ComingSet& set) override {
    if (next_ == names_.size()) return false;
    const std::vector<std::int64_t>& rows = rows_[next_];
    set = {set_name(names_[next_]), 8 * static_cast<std::int64_t>(rows.size()),
           [this, &rows, name = names_[next_], number = static_cast<std::int64_t>(next_)] {
             const std::string where = fmt::format("{}, set {}", where_, name);
             const auto all = static_cast<std::int64_t>(rows.size());
             const std::int64_t read = missing_ == Missing::drop ? all : std::min(all, most_);
             std::int64_t dropped = 0;
             Observations x = room_of(info_).whole(x_.pick(torch::tensor(rows, torch::kInt64).slice(0, 0, read)), info_,
                                                   missing_, where, dropped);
             x = x.slice(0, std::min(x.count(), most_));
             Observed observed{x, 0, {}};
             if (block_) observed = room_of(info_).checked(x.block(), info_, where);
             observed.held = all - dropped;
             observed.dropped = dropped;
             if (dropped > 0) observed.warnings.push_back(dropped_text(dropped, all));
             if (given_.defined()) {
               const std::vector<std::int64_t> own =
                   given_of_sets_ ? std::vector<std::int64_t>{number} : std::vector<std::int64_t>(rows);
               observed.given = given_of_rows(
                   stated_rows(given_.index_select(0, torch::tensor(own, torch::kInt64)), missing_), info_, where);
             }
             return observed;
           }};
    ++next_;
    return true;
  }

 private:
  // Whether the file has the conditions.
  bool holds_given_of(const NpzReader& arrays) const {
    return arrays.shapes().contains("given") ||
           std::ranges::all_of(info_.given, [&](const Given& one) { return arrays.shapes().contains(one.name); });
  }
  // The array "given", one row per set or observation, or one array per name.
  void read_given_of(NpzReader& arrays, const fs::path& data) {
    if (arrays.shapes().contains("given")) {
      given_ = arrays.read("given").to(torch::kFloat64);
      if (given_.dim() == 1 && info_.given_size() == 1) given_ = given_.unsqueeze(1);
      PAIRS_CHECK(given_.dim() == 2 && given_.size(1) == info_.given_size(),
                  "{}: the array given has the shape {}, but sets of task {} come with [.., {}]", where_,
                  shape_text(given_.sizes()), info_.name, info_.given_size());
      return;
    }
    std::vector<torch::Tensor> columns;
    for (const Given& one : info_.given) {
      if (!arrays.shapes().contains(one.name))
        fail_usage(
            "Sets of task {} come with {}: {} holds neither an array of that name nor \"given\"; add it, or name "
            "one for all with --conditions",
            info_.name, one.name, printable(data.string(), 300));
      columns.push_back(arrays.read(one.name).to(torch::kFloat64).reshape({-1}));
      PAIRS_CHECK(columns.back().numel() == columns.front().numel(), "{}: the arrays {} and {} have {} and {} numbers",
                  where_, info_.given.front().name, one.name, columns.front().numel(), columns.back().numel());
    }
    given_ = torch::stack(columns, 1);
  }

  const TaskInfo& info_;
  std::int64_t most_;
  Missing missing_;
  std::string where_;
  torch::Tensor given_;         // conditions, one row per observation or set; else undefined
  bool given_of_sets_ = false;  // one row per set
  bool block_ = false;
  Observations x_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> rows_;  // of each set
  std::size_t next_ = 0;
};

}  // namespace

namespace {

void check_not_empty(const fs::path& data) {
  std::error_code error;
  if (!fs::is_directory(data, error)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(data, error))
    if (!is_hidden(entry.path())) return;
  fail("{} is an empty folder: put the observations into it, a file for each set", printable(data.string(), 300));
}

// Throws if a column is to separate sets of a file whose groups are already sets.
void check_no_groups(const ManySets& sets, const TaskInfo& info) {
  const auto groups = open_table_groups(sets.data, wanted_columns(info, sets.columns));
  if (!groups) return;
  fail_usage(
      "{} holds {} groups ({}, ...), each of which is a set, and --group {} names a column to separate sets by; leave "
      "--group out, or put all rows into one table with that column",
      printable(sets.data.string(), 300), groups->names().size(), printable(groups->names().front(), 100),
      printable(sets.group, 100));
}

}  // namespace

std::function<std::string(const fs::path& file)> set_readers(const Task& task, const std::string& reader) {
  return [&task, reader](const fs::path& file) { return reader.empty() ? file_reader(task, file) : reader; };
}

bool is_folder_of_sets(const ManySets& sets, const TaskInfo& info) {
  std::error_code error;
  if (!fs::is_directory(sets.data, error) || holds_parts(sets.data, info)) return false;
  bool any = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(sets.data, error)) {
    if (is_hidden(entry.path())) continue;
    if (is_part_of_a_set(entry)) return false;
    any |= holds_a_set(entry, sets, info);
  }
  return any;
}

bool holds_sets(const ManySets& sets, const TaskInfo& info) {
  check_not_empty(sets.data);
  if (is_folder_of_sets(sets, info)) return true;
  return room_of(info).lines(info, "") != nullptr && reader_of(sets, sets.data).empty() && sets.columns.table.empty() &&
         open_table_groups(sets.data, wanted_columns(info, sets.columns)) != nullptr;
}

std::string left_out_text(const SetStream& sets) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> names = sets.left_out();
  if (names.empty()) return "";
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamed));
  const std::string more = count > kNamed ? fmt::format(" and {} more", count - kNamed) : "";
  return fmt::format("{}{} {} left out: no observations are read of {}", fmt::join(names, ", "), more,
                     count == 1 ? "is" : "are", count == 1 ? "it" : "them");
}

std::unique_ptr<SetStream> open_sets(const ManySets& asked, const TaskInfo& info) {
  ManySets sets = asked;
  sets.columns.held = std::numeric_limits<std::int64_t>::max();
  const std::string where = printable(sets.data.string(), 300);
  std::error_code error;
  if (fs::is_directory(sets.data, error) && !holds_parts(sets.data, info)) {
    if (!sets.group.empty())
      fail_usage("{} is a folder, in which each file is a set; --group names a column of a file", where);
    PAIRS_CHECK(is_folder_of_sets(sets, info), "{} holds no sets: put a file of observations, or a folder, for each",
                where);
    return std::make_unique<FolderOfSets>(sets, info);
  }
  check_exists(sets.data);
  sets.columns.reader = reader_of(sets, sets.data);
  if (sets.group.empty()) {
    auto groups = sets.columns.reader.empty() && sets.columns.table.empty()
                      ? open_table_groups(sets.data, wanted_columns(info, sets.columns))
                      : nullptr;
    if (groups) return open_sets_in_groups(sets, std::move(groups), info);
    fail_usage("{} is one file; name the column that separates its sets with --group", where);
  }
  if (!sets.columns.reader.empty()) {
    if (room_of(info).lines(info, "") == nullptr)
      fail_usage("--reader reads a table of points, and observations of task {} are none", info.name);
    return open_grouped_table(sets, info);
  }
  const std::string extension = lower_extension(sets.data);
  if (extension == ".npz") {
    if (!sets.columns.chosen.empty()) fail_usage("Columns are chosen of a CSV file of points; {} is none", where);
    return std::make_unique<GroupedArrays>(sets, info);
  }
  const bool table = std::find(table_endings().begin(), table_endings().end(), extension) != table_endings().end();
  PAIRS_CHECK(extension == ".csv" || table, "{} is neither a table nor an .npz file, whose columns separate sets",
              where);
  PAIRS_CHECK(room_of(info).lines(info, "") != nullptr,
              "{} is a table, and no line of text holds an observation of task {}; give an .npz file with the "
              "observations and an array {}",
              where, info.name, printable(sets.group));
  if (sets.columns.table.empty()) check_no_groups(sets, info);
  if (!table && !sets.columns.table.empty())
    fail_usage("--table names one of the tables of a HDF5 or FITS file; {} holds one alone, so leave it out", where);
  return table ? open_grouped_table(sets, info) : open_grouped_csv(sets, info);
}

Observed read_one_set(const ManySets& sets, const std::string& name, const TaskInfo& info) {
  // A name as listed has priority over a name as in the file.
  for (const bool listed : {true, false}) {
    if (!listed && set_name(name) == name) break;
    const std::unique_ptr<SetStream> stream = open_sets(sets, info);
    for (ComingSet set; stream->next(set);)
      if (listed ? set.name == name : means_set(name, set.name)) return set.read();
  }
  fail("{} holds no set {}{}", printable(sets.data.string(), 300), printable(name),
       sets.group.empty() ? "" : " in its column " + printable(sets.group));
}

}  // namespace pairs
