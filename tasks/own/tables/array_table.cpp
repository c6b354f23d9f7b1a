#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/stored/stored_array.h"
#include "tasks/own/tables/column_names.h"
#include "tasks/own/tables/formats.h"
#include "tasks/own/tables/hdf5_layouts.h"

namespace pairs {
namespace {

// One-dimensional arrays as columns, and two-dimensional ones as vector columns; or a single two-dimensional array
// whose columns are counted. Each is opened when it is read.
class ArrayTable final : public TableFile {
 public:
  ArrayTable(Hdf5Table table, const std::vector<std::string>& wanted, const std::string& where) : TableFile(where) {
    named_ = table.named;
    for (std::size_t k = 0; k < table.arrays.size(); ++k) add_columns(table, k);
    for (NamedArray& one : table.arrays) sources_.push_back({std::move(one.column), nullptr});
    if (!named_ && !table.matrix) sort_counted();
    if (!named_)
      for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].name = fmt::format("column {}", k + 1);
    count_rows(wanted);
  }
  // A table of an open array whose columns are counted.
  ArrayTable(std::unique_ptr<StoredArray> matrix, const std::string& where)
      : ArrayTable(Hdf5Table{"x", {{"x", {"x", "", matrix->shape()}}}, "", true, false}, {}, where) {
    sources_.front().array = std::move(matrix);
  }

 private:
  // With more numbers per row, an array next to others is not a column.
  static constexpr std::int64_t kMostNumbers = 1 << 14;

  struct Source {
    StoredColumn column;
    std::unique_ptr<StoredArray> array;  // null until it is read
    std::int64_t width() const { return column.shape.size() == 2 ? column.shape[1] : 1; }
  };
  struct Place {
    std::size_t source, at;  // the element of its rows
  };

  void add_columns(const Hdf5Table& table, std::size_t k) {
    const NamedArray& one = table.arrays[k];
    const bool several = one.column.shape.size() == 2;
    const std::int64_t width = several ? one.column.shape[1] : 1;
    if (width == 0 || (width > kMostNumbers && !table.matrix)) {
      columns_.push_back({one.name, fmt::format("{} numbers per row", width)});
      places_.push_back({k, 0});
      return;
    }
    for (std::int64_t at = 0; at < width; ++at) {
      const bool own = !one.numbers.empty();
      std::string name = own         ? one.numbers[static_cast<std::size_t>(at)]
                         : width > 1 ? fmt::format("{}[{}]", one.name, at)
                                     : one.name;
      columns_.push_back({std::move(name), one.column.other, several && !own && !table.matrix ? one.name : ""});
      places_.push_back({k, static_cast<std::size_t>(at)});
    }
  }

  // Sorts columns called 0, 1, ... in this order, whatever block they are in.
  void sort_counted() {
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::stoll(columns_[a].name) < std::stoll(columns_[b].name);
    });
    std::vector<TableColumn> columns;
    std::vector<Place> places;
    for (const std::size_t k : order) {
      columns.push_back(columns_[k]);
      places.push_back(places_[k]);
    }
    columns_ = std::move(columns);
    places_ = std::move(places);
  }

  // Sets the number of rows, which must be the same for the wanted columns; else that of most columns. Others do not
  // fit.
  void count_rows(const std::vector<std::string>& wanted) {
    const ColumnNames names(columns_, named_, any_case_);
    std::vector<std::size_t> needed;
    for (const std::string& name : wanted)
      for (const std::size_t place : names.find(name)) needed.push_back(place);
    if (needed.empty()) needed = names.instead_of(wanted);
    const auto rows_of = [&](std::size_t place) { return sources_[places_[place].source].column.shape[0]; };
    std::map<std::int64_t, std::size_t> counts;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (rows_of(k) >= 0) ++counts[rows_of(k)];
    std::size_t most = 0;
    for (const auto& [rows, count] : counts)
      if (count > most) rows_ = rows, most = count;
    if (!needed.empty()) rows_ = rows_of(needed.front());
    for (const std::size_t place : needed)
      PAIRS_CHECK(
          rows_of(place) == rows_,
          "{}: its columns differ in length, {} has {} rows and {} has {}; save columns of one length, or choose "
          "others with --columns",
          where(), printable(columns_[needed.front()].name), rows_, printable(columns_[place].name), rows_of(place));
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (rows_of(k) != rows_ && rows_of(k) >= 0) {
        columns_[k].other = fmt::format("{} rows, where others have {}", rows_of(k), rows_);
        columns_[k].fits = false;
      }
  }

  StoredArray& array_of(Source& source) {
    if (source.array == nullptr) source.array = source.column.open();
    return *source.array;
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    constexpr std::int64_t kNumbers = 1 << 16;
    for (std::size_t k = 0; k < places.size(); ++k)
      PAIRS_CHECK(columns_[places[k]].other.empty(), "{}: column {} {} {}, not numbers", where(),
                  printable(columns_[places[k]].name), columns_[places[k]].fits ? "holds" : "has",
                  columns_[places[k]].other);
    std::int64_t widest = 1;
    for (const std::size_t place : places) widest = std::max(widest, sources_[places_[place].source].width());
    const std::int64_t most = std::max<std::int64_t>(kNumbers / widest, 1);
    for (std::int64_t done = 0; done < count; done += most) {
      const std::int64_t rows = std::min(most, count - done);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const Place place = places_[places[k]];
        const bool again = k > 0 && places_[places[k - 1]].source == place.source;
        copy(sources_[place.source], first + done, rows, place.at, places.size(),
             out + static_cast<std::size_t>(done) * places.size() + k, again);
      }
    }
  }

  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    Source& source = sources_[places_[place].source];
    if (source.column.texts && columns_[place].fits) return source.column.texts(first, count, out);
    if (columns_[place].other.empty() && source.width() == 1 && array_of(source).integers()) {
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
      array_of(source).read(first, count, numbers.data());
      for (const std::int64_t number : numbers) out.push_back(fmt::format("{}", number));
      return;
    }
    TableFile::read_row_texts(first, count, place, out);
  }

  // Copies element `at` of each row; `again`: from the rows that were read last.
  void copy(Source& source, std::int64_t first, std::int64_t rows, std::size_t at, std::size_t stride, double* out,
            bool again) {
    const std::int64_t width = source.width();
    if (!again) {
      buffer_.resize(static_cast<std::size_t>(rows * width));
      array_of(source).read(first * width, rows * width, buffer_.data());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
      out[i * stride] = buffer_[i * static_cast<std::size_t>(width) + at];
  }

  std::vector<Source> sources_;
  std::vector<Place> places_;  // of each column
  std::vector<double> buffer_;
};

// Arrays in groups of one file. Names are "GROUP/ARRAY"; groups may be nested.
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
    Hdf5Table columns{name, {}};
    const auto add = [&](const std::string& column, const std::shared_ptr<std::unique_ptr<StoredArray>>& array) {
      const std::vector<std::int64_t> shape = (*array)->shape();
      columns.arrays.push_back({column, {column, "", shape, false, [array] { return std::move(*array); }}});
    };
    for (const std::string& wanted : wanted_)
      if (auto array = arrays_->array(name + "/" + wanted))
        add(wanted, std::make_shared<std::unique_ptr<StoredArray>>(std::move(array)));
    std::unique_ptr<StoredArray> x;
    if (columns.arrays.size() < wanted_.size()) x = arrays_->array(name + "/x");
    if (x != nullptr && x->shape().size() == 1) {
      columns.arrays.clear();
      add("x", std::make_shared<std::unique_ptr<StoredArray>>(std::move(x)));
      x = nullptr;
    }
    const std::string where = fmt::format("{}, group {}", where_, printable(name));
    if (x != nullptr) {
      PAIRS_CHECK(x->shape().size() == 2, "{}: its array x has {} axes where 1 or 2 are needed", where,
                  x->shape().size());
      return std::make_unique<ArrayTable>(std::move(x), where);
    }
    for (const NamedArray& one : columns.arrays)
      PAIRS_CHECK(one.column.shape.size() == 1 || (one.column.shape.size() == 2 && one.column.shape[1] == 1) ||
                      (one.column.shape.size() == 2 && columns.arrays.size() == 1),
                  "{}: its array {} has {} axes where one is needed", where, printable(one.name),
                  one.column.shape.size());
    if (columns.arrays.size() == 1 && columns.arrays.front().column.shape.size() == 2)
      return std::make_unique<ArrayTable>(columns.arrays.front().column.open(), where);
    return std::make_unique<ArrayTable>(std::move(columns), wanted_, where);
  }

 private:
  std::string where_;
  std::vector<std::string> wanted_, names_, others_;
  std::unique_ptr<ArrayFile> arrays_;
};

// Names the first array of a file whose arrays form no table.
void refuse_arrays(const std::filesystem::path& path, const std::string& where) {
  const auto arrays = hdf5_arrays(std::make_shared<const StoredFile>(path, where), path.parent_path());
  const std::vector<std::string> names = arrays->names();
  if (names.empty()) return;
  std::string shape = "more than one axis, or holds no numbers";
  try {
    if (const auto array = arrays->array(names.front()))
      shape = fmt::format("the shape [{}]", fmt::join(array->shape(), ", "));
  } catch (const Error&) {
    // A table of fields along several axes.
  }
  fail("{} holds no table: its data set {} has {}; save numbers along one or two axes, and a table of fields along one",
       where, printable(names.front(), 100), shape);
}

}  // namespace

std::unique_ptr<TableGroups> open_hdf5_groups(const std::filesystem::path& path, const std::string& where,
                                              const std::vector<std::string>& wanted) {
  auto groups = std::make_unique<Hdf5Groups>(path, where, wanted);
  if (groups->names().size() < 2) return nullptr;
  return groups;
}

std::unique_ptr<TableFile> open_hdf5_table(const std::filesystem::path& path, const std::string& where,
                                           const TableChoice& choice) {
  std::vector<Hdf5Table> tables =
      hdf5_tables(hdf5_columns(std::make_shared<const StoredFile>(path, where), path.parent_path()));
  if (tables.empty()) refuse_arrays(path, where);
  std::vector<TableFacts> facts;
  for (const Hdf5Table& one : tables) {
    // Whether its wanted columns have equal lengths is checked for the selected table.
    const ArrayTable table(one, {}, where);
    facts.push_back({one.name, table.columns(), table.named(), false, one.also});
  }
  const bool several = tables.size() > 1 && tables.front().name.empty();
  std::size_t taken = 0;
  const bool by_path = std::any_of(choice.wanted.begin(), choice.wanted.end(),
                                   [](const std::string& name) { return name.find('/') != name.npos; });
  const auto all = [&] { return ColumnNames(facts.front().columns, true, false).fit(choice.wanted) == 2; };
  if (several && choice.name.empty() && (choice.wanted.empty() || (by_path && all()))) {
    taken = 0;  // everything in the file, each column by its path
  } else if (several) {
    facts.erase(facts.begin());
    taken = 1 + pick_table(facts, choice, where);
  } else {
    taken = pick_table(facts, choice, where);
  }
  return std::make_unique<ArrayTable>(std::move(tables[taken]), choice.wanted, where);
}

}  // namespace pairs
