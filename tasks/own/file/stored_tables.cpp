#include "tasks/own/file/stored_tables.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <unordered_set>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/npy.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"
#include "core/report/number_text.h"
#include "tasks/own/file/x_kind.h"
#include "tasks/own/stored/matching_files.h"
#include "tasks/table_file.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetColumn = "set";
constexpr std::int64_t kTableRows = 1 << 15;  // read at a time

bool is_table(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".h5" || ending == ".hdf5") return false;  // holds arrays
  return std::find(table_endings().begin(), table_endings().end(), ending) != table_endings().end();
}

// Collects the arrays of one table.
class TableArrays {
 public:
  TableArrays(const fs::path& file, const TaskInfo& info, const SimulationFiles& names) : info_(info), names_(names) {
    std::vector<std::string> wanted;
    for (const Target& one : info.targets) wanted.push_back(one.name);
    for (const Nuisance& one : info.nuisances) wanted.push_back(one.name);
    for (const Given& one : info.given) wanted.push_back(one.name);
    known_ = wanted.size();
    std::vector<std::string> all_wanted = wanted;
    all_wanted.emplace_back(kSetColumn);
    table_ = open_table(file, {"", all_wanted});
    places_ = places_in(*table_, wanted);
    const std::vector<std::size_t> x = places_in(*table_, info.observation_columns);
    places_.insert(places_.end(), x.begin(), x.end());
    const std::vector<std::string> all = table_->names();
    const auto at = std::find(all.begin(), all.end(), kSetColumn);
    PAIRS_CHECK(at != all.end(), "{} has no column {} that names the set of each row; it has {}", table_->where(),
                kSetColumn, printable(fmt::format("{}", fmt::join(all, ", ")), 300));
    set_ = static_cast<std::size_t>(at - all.begin());
  }

  // Writes them as NPY files to a folder.
  void write(const fs::path& folder) {
    const fs::path file = folder / (names_.x + ".npy");
    std::ofstream x(file, std::ios::binary);
    const auto columns = static_cast<std::int64_t>(info_.observation_columns.size());
    x << npy_header_text(torch::kFloat64, {table_->rows(), columns}, file.string());
    std::vector<double> numbers;
    std::vector<std::string> sets;
    for (std::int64_t first = 0, count; first < table_->rows(); first += count) {
      interruption_point();
      count = std::min(kTableRows, table_->rows() - first);
      numbers.resize(static_cast<std::size_t>(count) * places_.size());
      table_->read(first, count, places_, numbers.data());
      sets.clear();
      table_->read_texts(first, count, set_, sets);
      for (std::int64_t row = 0; row < count; ++row) {
        const double* at = numbers.data() + static_cast<std::size_t>(row) * places_.size();
        take(first + row, sets[static_cast<std::size_t>(row)], at);
        x.write(reinterpret_cast<const char*>(at + known_),
                static_cast<std::streamsize>(sizeof(double) * static_cast<std::size_t>(columns)));
      }
    }
    x.close();
    PAIRS_CHECK(x.good(), "{} cannot be written; free some space", file.string());
    offsets_.push_back(table_->rows());
    write_known(folder);
  }

 private:
  // Adds row number `row`, whose set is called `name`.
  void take(std::int64_t row, const std::string& name, const double* numbers) {
    const auto where = [&] { return fmt::format("{}: row {}", table_->where(), count_text(row + 1)); };
    PAIRS_CHECK(!name.empty(), "{} does not name the set it belongs to; fill in the column {}", where(), kSetColumn);
    if (offsets_.empty() || name != name_) {
      PAIRS_CHECK(seen_.insert(name).second,
                  "{} is of the set {}, whose other rows stand apart from it; sort the table by its column {}", where(),
                  printable(name, 100), kSetColumn);
      name_ = name;
      offsets_.push_back(row);
      known_values_.insert(known_values_.end(), numbers, numbers + known_);
      return;
    }
    const double* first = known_values_.data() + known_values_.size() - known_;
    for (std::size_t k = 0; k < known_; ++k)
      PAIRS_CHECK(first[k] == numbers[k], "{} holds {} = {}, and the rows before it of the set {} hold {}", where(),
                  table_->columns()[places_[k]].name, numbers[k], printable(name, 100), first[k]);
  }

  void write_known(const fs::path& folder) const {
    const auto sets = static_cast<std::int64_t>(offsets_.size()) - 1;
    const torch::Tensor known =
        torch::tensor(known_values_, torch::kFloat64).view({sets, static_cast<std::int64_t>(known_)});
    const auto d = static_cast<std::int64_t>(info_.targets.size()),
               p = static_cast<std::int64_t>(info_.nuisances.size());
    write_npy(folder / (names_.theta + ".npy"), known.narrow(1, 0, d));
    if (p > 0) write_npy(folder / (names_.psi + ".npy"), known.narrow(1, d, p));
    if (info_.given_size() > 0) write_npy(folder / (names_.given + ".npy"), known.narrow(1, d + p, info_.given_size()));
    write_npy(folder / (names_.offsets + ".npy"), torch::tensor(offsets_, torch::kInt64));
  }

  std::unique_ptr<TableFile> table_;
  const TaskInfo& info_;
  const SimulationFiles& names_;
  std::vector<std::size_t> places_;  // of the set's columns, followed by x's
  std::size_t known_ = 0, set_ = 0;
  std::string name_;  // name of the current set
  std::unordered_set<std::string> seen_;
  std::vector<double> known_values_;
  std::vector<std::int64_t> offsets_;
};

// The folder with the arrays of a table, which are extracted if they are not there. They have the table's modification
// time, so that a run recognizes them after the cache was emptied.
fs::path arrays_of(const fs::path& file, const TaskInfo& info, const SimulationFiles& names) {
  if (!x_kind(info).lines)
    fail_usage("{} is a table, of which sets of points alone can be read; store NPZ or HDF5",
               printable(file.string(), 300));
  std::error_code error;
  const fs::path whole = fs::absolute(file).lexically_normal();
  const auto time = fs::last_write_time(file, error);
  PAIRS_CHECK(!error, "{} cannot be opened: {}; restore it, or take it out of [simulations] files",
              printable(file.string(), 300), error.message());
  std::string key =
      fmt::format("{}\n{}\n{}\n{} {} {} {} {}\n", whole.string(), fs::file_size(file, error),
                  time.time_since_epoch().count(), names.theta, names.psi, names.given, names.x, names.offsets);
  for (const Target& one : info.targets) key += "\nθ " + one.name;
  for (const Nuisance& one : info.nuisances) key += "\nψ " + one.name;
  for (const Given& one : info.given) key += "\ngiven " + one.name;
  for (const std::string& one : info.observation_columns) key += "\nx " + one;
  const fs::path folder = caches_folder() / "stored-tables" / fmt::format("{}-{:08x}", info.name, checksum(key));
  if (fs::exists(folder / (names.offsets + ".npy"), error)) return folder;
  fs::create_directories(folder.parent_path());
  write_folder_through(folder, [&](const fs::path& unfinished) {
    TableArrays(file, info, names).write(unfinished);
    for (const fs::directory_entry& entry : fs::directory_iterator(unfinished)) fs::last_write_time(entry.path(), time);
  });
  return folder;
}

}  // namespace

SimulationFiles with_tables_read(SimulationFiles files, const fs::path& folder, const TaskInfo& info) {
  std::vector<std::string> out;
  for (const std::string& pattern : files.files) {
    if (!is_table(pattern)) {
      out.push_back(pattern);
      continue;
    }
    const std::vector<fs::path> tables = matching_files(pattern, folder);
    if (tables.empty()) out.push_back(pattern);  // which is then refused
    for (const fs::path& table : tables) out.push_back(arrays_of(table, info, files).string());
  }
  files.files = std::move(out);
  return files;
}

}  // namespace pairs::own
