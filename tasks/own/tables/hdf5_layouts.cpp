#include "tasks/own/tables/hdf5_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/base/text/error.h"

namespace pairs {
namespace {

std::string group_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash);
}
std::string last_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}
std::string inside(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

// Parses a list of texts and whole numbers written by Python's pickle in its line protocol: "(lp0
// Vx1
// p1
// aVx2
// ...a.". Nothing for any other content; nothing is executed.
std::optional<std::vector<std::string>> pickled_list(std::string_view text) {
  if (!text.starts_with("(l")) return std::nullopt;
  std::vector<std::string> out;
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  while (text.starts_with('\n')) {
    text.remove_prefix(1);
    if (text.starts_with('a')) text.remove_prefix(1);
    if (text == ".") return out;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    if (line.empty()) return std::nullopt;
    const std::string_view value = line.substr(1);
    switch (line.front()) {
      case 'p':
        break;
      case 'V':
        if (value.find('\\') != value.npos) return std::nullopt;
        out.emplace_back(value);
        break;
      case 'I':
      case 'L':
        out.emplace_back(value.substr(0, value.find('L')));
        break;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// Whether a table is a single two-dimensional array whose columns have names.
bool is_named_matrix(const Hdf5Table& table) {
  return table.arrays.size() == 1 && table.arrays.front().column.name == table.name &&
         !table.arrays.front().numbers.empty();
}

// Whether columns have the names by which pandas counts them.
bool are_counted(const std::vector<std::string>& names) {
  std::vector<bool> seen(names.size());
  for (const std::string& name : names) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number >= names.size() || seen[number])
      return false;
    seen[number] = true;
  }
  return !names.empty();
}

// Names that pandas stores as an array, of texts or of whole numbers.
std::vector<std::string> names_in(const StoredColumn& column) {
  constexpr std::int64_t kMost = 1 << 14;
  std::vector<std::string> names;
  if (column.shape.size() != 1 || column.shape[0] > kMost) return names;
  if (column.texts) {
    column.texts(0, column.shape[0], names);
  } else if (column.open) {
    const auto array = column.open();
    if (!array->integers()) return names;
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(column.shape[0]));
    array->read(0, column.shape[0], numbers.data());
    for (const std::int64_t number : numbers) names.push_back(fmt::format("{}", number));
  }
  return names;
}

class Hdf5Layouts {
 public:
  explicit Hdf5Layouts(const StoredColumns& file) : file_(file) {}

  std::vector<Hdf5Table> take() {
    for (const StoredColumn& one : file_.columns) {
      const std::string owner = group_of(one.name);
      if (one.field)
        table(owner).arrays.push_back({last_of(one.name), one});
      else
        groups_[owner].push_back(one);
    }
    for (auto& [group, columns] : groups_) add_group(group, columns);
    for (Hdf5Table& one : tables_)
      if (const std::string group = group_of(one.name); is_pandas(group, "table")) name_fields(one, group);
    put_first();
    return std::move(tables_);
  }

 private:
  Hdf5Table& table(const std::string& name) {
    for (Hdf5Table& one : tables_)
      if (one.name == name) return one;
    return tables_.emplace_back(Hdf5Table{name, {}});
  }
  bool is_pandas(const std::string& group, const char* what) const {
    return file_.attribute && file_.attribute(group, "pandas_type").find(what) != std::string::npos;
  }

  void add_group(const std::string& group, const std::vector<StoredColumn>& columns) {
    const std::string kind = file_.attribute ? file_.attribute(group, "pandas_type") : "";
    if (kind == "frame" && add_frame(group, columns)) return;
    if (kind == "series") return add_series(group, columns);
    Hdf5Table out{group.empty() ? "/" : group, {}};
    for (const StoredColumn& one : columns)
      if (std::vector<std::string> names; is_matrix(one, columns)) {
        if (file_.numbers) names = file_.numbers(one);
        if (names.empty()) names = names_beside(one, columns);
        const bool named = !names.empty();
        tables_.push_back({one.name, {{last_of(one.name), one, std::move(names)}}, "", !named, named});
      } else
        out.arrays.push_back({last_of(one.name), one});
    if (!out.arrays.empty()) tables_.push_back(std::move(out));
  }

  // The texts of an array of names in another array's group, if there are as many as its numbers per row; else none.
  static std::vector<std::string> names_beside(const StoredColumn& one, const std::vector<StoredColumn>& columns) {
    for (const StoredColumn& other : columns)
      for (const char* name : {"columns", "column_names", "names"})
        if (last_of(other.name) == name && other.texts && other.shape == std::vector<std::int64_t>{one.shape[1]})
          return names_in(other);
    return {};
  }

  // Whether a two-dimensional array has a row count of its own in its group, and is x or the file's only array.
  bool is_matrix(const StoredColumn& one, const std::vector<StoredColumn>& columns) const {
    if (one.shape.size() != 2 || !one.other.empty()) return false;
    if (file_.columns.size() == 1) return true;
    return last_of(one.name) == "x" && std::none_of(columns.begin(), columns.end(), [&](const StoredColumn& other) {
             return &other != &one && other.shape[0] == one.shape[0];
           });
  }

  // The pandas format "fixed": blocks of one type each, stored with the names of their columns.
  bool add_frame(const std::string& group, const std::vector<StoredColumn>& columns) {
    const auto find = [&](const std::string& name) -> const StoredColumn* {
      for (const StoredColumn& one : columns)
        if (one.name == inside(group, name)) return &one;
      return nullptr;
    };
    Hdf5Table out{group.empty() ? "/" : group, {}};
    std::vector<std::string> order;
    if (const StoredColumn* axis = find("axis0")) order = names_in(*axis);
    for (int k = 0;; ++k) {
      const StoredColumn *values = find(fmt::format("block{}_values", k)),
                         *items = find(fmt::format("block{}_items", k));
      if (values == nullptr || items == nullptr) break;
      NamedArray block{last_of(values->name), *values, names_in(*items)};
      const std::string type = file_.attribute(values->name, "value_type");
      if (type.starts_with("datetime") || type.starts_with("timedelta")) block.column.other = "times (" + type + ")";
      if (!block.column.other.empty()) {
        // Texts and objects are a single pickled value for all rows.
        for (const std::string& name : block.numbers)
          out.arrays.push_back({name, {values->name, block.column.other, {-1}}});
        continue;
      }
      if (values->shape.size() != 2 || std::ssize(block.numbers) != values->shape[1]) return false;
      out.arrays.push_back(std::move(block));
    }
    if (out.arrays.empty()) return false;
    out.named = !are_counted(order);
    const auto place = [&](const NamedArray& one) {
      return std::find(order.begin(), order.end(), one.numbers.empty() ? one.name : one.numbers.front());
    };
    std::stable_sort(out.arrays.begin(), out.arrays.end(),
                     [&](const NamedArray& a, const NamedArray& b) { return place(a) < place(b); });
    tables_.push_back(std::move(out));
    return true;
  }

  // Whether pandas stores the categories of a field in addition to its table: the field holds their numbers.
  bool has_categories(const std::string& group, const std::string& field) const {
    const std::string extra = inside(group, "meta/" + field + "/meta/");
    return std::any_of(file_.columns.begin(), file_.columns.end(),
                       [&](const StoredColumn& one) { return one.name.starts_with(extra); });
  }

  void add_series(const std::string& group, const std::vector<StoredColumn>& columns) {
    Hdf5Table out{group.empty() ? "/" : group, {}};
    const std::string name = file_.attribute(group, "name");
    for (const StoredColumn& one : columns) {
      const bool values = last_of(one.name) == "values";
      if (values || last_of(one.name) == "index")
        out.arrays.push_back({values && !name.empty() && !name.ends_with('.') ? name : last_of(one.name), one});
    }
    if (!out.arrays.empty()) tables_.push_back(std::move(out));
  }

  // The pandas format "table": vector fields values_block_0, ..., whose names are in an attribute.
  void name_fields(Hdf5Table& table, const std::string& group) const {
    std::vector<std::string> all;
    for (NamedArray& one : table.arrays) {
      const auto names = pickled_list(file_.attribute(table.name, one.name + "_kind"));
      const std::int64_t width = one.column.shape.size() == 2 ? one.column.shape[1] : 1;
      if (one.name == "index") continue;
      if (has_categories(group, one.name)) one.column.other = "numbers of categories (a categorical of pandas)";
      const std::string type = file_.attribute(table.name, one.name + "_dtype");
      if (type.starts_with("datetime") || type.starts_with("timedelta")) one.column.other = "times (" + type + ")";
      if (one.name.starts_with("values_block_") && names && std::ssize(*names) == width) one.numbers = *names;
      all.insert(all.end(), one.numbers.begin(), one.numbers.end());
      if (one.numbers.empty()) all.push_back(one.name);
    }
    table.also = table.name;
    table.name = group.empty() ? "/" : group;
    if (!are_counted(all)) return;
    table.named = false;
    std::erase_if(table.arrays, [](const NamedArray& one) { return one.name == "index"; });
  }

  // Puts everything in the file first if it consists of several tables; a matrix x takes precedence.
  void put_first() {
    const auto x = std::find_if(tables_.begin(), tables_.end(), [](const Hdf5Table& one) {
      return (one.matrix || is_named_matrix(one)) && last_of(one.name) == "x";
    });
    if (x != tables_.end()) return (void)std::rotate(tables_.begin(), x, x + 1);
    if (tables_.size() < 2) return;
    Hdf5Table whole{"", {}};
    for (const Hdf5Table& one : tables_)
      for (const NamedArray& array : one.arrays) {
        NamedArray named = array;
        const std::string group = one.name == "/" ? "" : one.name + "/";
        named.name = one.matrix || is_named_matrix(one) ? one.name : group + array.name;
        for (std::string& number : named.numbers) number = group + number;
        whole.arrays.push_back(std::move(named));
      }
    tables_.insert(tables_.begin(), std::move(whole));
  }

  const StoredColumns& file_;
  std::map<std::string, std::vector<StoredColumn>> groups_;
  std::vector<Hdf5Table> tables_;
};

}  // namespace

std::vector<Hdf5Table> hdf5_tables(const StoredColumns& file) {
  return Hdf5Layouts(file).take();
}

}  // namespace pairs
