#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/own/stored/stored_array.h"
#include "tasks/own/tables/formats.h"

namespace pairs {
namespace {

// Arrays of one axis as columns, or an array of two.
class ArrayTable final : public TableFile {
 public:
  ArrayTable(std::vector<StoredColumn> columns, const std::string& where) : TableFile(where) {
    const std::size_t group = shared_group(columns);
    for (StoredColumn& column : columns) {
      columns_.push_back({column.name.substr(group), column.other});
      arrays_.push_back(std::move(column.numbers));
      texts_.push_back(std::move(column.texts));
    }
    bool first = true;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      if (arrays_[k] == nullptr) continue;
      const std::int64_t rows = arrays_[k]->shape()[0];
      PAIRS_CHECK(first || rows == rows_,
                  "{}: its columns differ in length, {} has {} rows and others {}; save the table in a file of its own",
                  where, printable(columns_[k].name), rows, rows_);
      rows_ = rows;
      first = false;
    }
  }
  ArrayTable(std::unique_ptr<StoredArray> matrix, const std::string& where) : TableFile(where) {
    rows_ = matrix->shape()[0];
    width_ = matrix->shape()[1];
    named_ = false;
    for (std::int64_t k = 0; k < width_; ++k) columns_.push_back({fmt::format("column {}", k + 1)});
    arrays_.push_back(std::move(matrix));
  }

 private:
  // Characters of the group that all columns stand in, with its '/'.
  static std::size_t shared_group(const std::vector<StoredColumn>& columns) {
    std::set<std::string> groups;
    for (const StoredColumn& column : columns) groups.insert(column.name.substr(0, column.name.rfind('/') + 1));
    return groups.size() == 1 ? groups.begin()->size() : 0;
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    constexpr std::int64_t kNumbers = 1 << 16;
    const std::int64_t width = std::max<std::int64_t>(width_, 1), most = std::max<std::int64_t>(kNumbers / width, 1);
    for (std::int64_t done = 0; done < count; done += most) {
      const std::int64_t rows = std::min(most, count - done);
      for (std::size_t k = 0; k < places.size(); ++k) {
        double* const to = out + static_cast<std::size_t>(done) * places.size() + k;
        if (width_ == 0)
          copy(*arrays_[places[k]], first + done, rows, 1, 0, places.size(), to);
        else
          copy(*arrays_.front(), first + done, rows, width, places[k], places.size(), to, k > 0);
      }
    }
  }

  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    if (width_ == 0 && arrays_[place] == nullptr && texts_[place]) return texts_[place](first, count, out);
    if (width_ == 0 && arrays_[place] != nullptr && arrays_[place]->integers()) {
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
      arrays_[place]->read(first, count, numbers.data());
      for (const std::int64_t number : numbers) out.push_back(fmt::format("{}", number));
      return;
    }
    TableFile::read_row_texts(first, count, place, out);
  }

  // Column `at` of rows of `width` numbers; `again`: of the rows that were read last.
  void copy(const StoredArray& array, std::int64_t first, std::int64_t rows, std::int64_t width, std::size_t at,
            std::size_t stride, double* out, bool again = false) {
    if (!again) {
      buffer_.resize(static_cast<std::size_t>(rows * width));
      array.read(first * width, rows * width, buffer_.data());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
      out[i * stride] = buffer_[i * static_cast<std::size_t>(width) + at];
  }

  std::vector<std::unique_ptr<StoredArray>> arrays_;
  std::vector<std::function<void(std::int64_t, std::int64_t, std::vector<std::string>&)>> texts_;
  std::int64_t width_ = 0;  // of a matrix
  std::vector<double> buffer_;
};

// The matrix "x" of a file, in whatever group, or its only array.
std::unique_ptr<StoredArray> take_matrix(std::vector<StoredColumn>& columns) {
  for (StoredColumn& column : columns) {
    const bool x = column.name == "x" || column.name.ends_with("/x");
    if (column.numbers != nullptr && column.numbers->shape().size() == 2 && (x || columns.size() == 1))
      return std::move(column.numbers);
  }
  return nullptr;
}

// Arrays in groups of one file. Names are "GROUP/ARRAY"; groups may stand in groups.
class Hdf5Groups final : public TableGroups {
 public:
  Hdf5Groups(const std::filesystem::path& path, const std::string& where, const std::vector<std::string>& wanted)
      : where_(where),
        wanted_(wanted),
        arrays_(hdf5_arrays(std::make_shared<const StoredFile>(path, where), path.parent_path())) {
    std::map<std::string, std::set<std::string>> groups;
    for (const std::string& name : arrays_->names()) {
      const std::size_t slash = name.rfind('/');
      if (slash != name.npos) groups[name.substr(0, slash)].insert(name.substr(slash + 1));
    }
    for (const auto& [name, held] : groups) {
      const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) { return held.contains(one); });
      (all || held.contains("x") ? names_ : others_).push_back(name);
    }
  }
  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<std::string>& others() const override { return others_; }
  std::unique_ptr<TableFile> open(const std::string& name) const override {
    std::vector<StoredColumn> columns;
    for (const std::string& wanted : wanted_)
      if (auto array = arrays_->array(name + "/" + wanted)) columns.push_back({wanted, "", std::move(array)});
    std::unique_ptr<StoredArray> x;
    if (columns.size() < wanted_.size()) x = arrays_->array(name + "/x");
    if (x != nullptr && x->shape().size() == 1) {
      columns.clear();
      columns.push_back({"x", "", std::move(x)});
    }
    const std::string where = fmt::format("{}, group {}", where_, printable(name));
    if (x != nullptr) {
      PAIRS_CHECK(x->shape().size() == 2, "{}: its array x has {} axes where 1 or 2 are needed", where,
                  x->shape().size());
      return std::make_unique<ArrayTable>(std::move(x), where);
    }
    for (const StoredColumn& one : columns)
      PAIRS_CHECK(one.numbers->shape().size() == 1 || columns.size() == 1,
                  "{}: its array {} has {} axes where one is needed", where, printable(one.name),
                  one.numbers->shape().size());
    if (columns.size() == 1 && columns.front().numbers->shape().size() == 2)
      return std::make_unique<ArrayTable>(std::move(columns.front().numbers), where);
    return std::make_unique<ArrayTable>(std::move(columns), where);
  }

 private:
  std::string where_;
  std::vector<std::string> wanted_, names_, others_;
  std::unique_ptr<ArrayFile> arrays_;
};

}  // namespace

std::unique_ptr<TableGroups> open_hdf5_groups(const std::filesystem::path& path, const std::string& where,
                                              const std::vector<std::string>& wanted) {
  auto groups = std::make_unique<Hdf5Groups>(path, where, wanted);
  if (groups->names().size() < 2) return nullptr;
  return groups;
}

std::unique_ptr<TableFile> open_hdf5_table(const std::filesystem::path& path, const std::string& where) {
  auto columns = hdf5_columns(std::make_shared<const StoredFile>(path, where), path.parent_path());
  if (auto matrix = take_matrix(columns)) return std::make_unique<ArrayTable>(std::move(matrix), where);
  std::erase_if(columns,
                [](const StoredColumn& one) { return one.numbers != nullptr && one.numbers->shape().size() > 1; });
  return std::make_unique<ArrayTable>(std::move(columns), where);
}

}  // namespace pairs
