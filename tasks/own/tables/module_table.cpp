#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <new>

#include "core/base/system/program_part.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/tables/column_names.h"
#include "tasks/own/tables/formats.h"
#include "tasks/own/tables/table_module.h"

namespace pairs {
namespace {

// Opens the module of that name, next to the program or in ../lib of an installation; `reads` names its format in
// errors.
[[maybe_unused]] OpenTable* opener_of(const char* name, const char* reads) {
  const std::filesystem::path place = program_part(name);
  PAIRS_CHECK(!place.empty(),
              "{}, the part of Pairs Studio that reads {} files, is missing; install Pairs Studio again", name, reads);
  void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char* const problem = ::dlerror();
    fail("{} does not load ({}); install Pairs Studio again", printable(place.string(), 300),
         printable(problem ? problem : "no reason was given", 300));
  }
  const auto version = reinterpret_cast<int (*)()>(::dlsym(module, "pairs_table_version"));
  const auto open = reinterpret_cast<OpenTable*>(::dlsym(module, "pairs_open_table"));
  PAIRS_CHECK(version && open && version() == kTableModuleVersion, "{} is of another version; build it again",
              printable(place.string(), 300));
  return open;
}

// A module's exception as a sentence; running out of memory has no message of its own.
std::string module_sentence(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) ? sentence(error) : printable(error.what(), 400);
}

// A column of a module, or an element of its rows.
struct ModulePlace {
  std::size_t column, at;
};

// The columns of a table, with vector columns element by element.
std::vector<TableColumn> columns_of_table(const std::vector<TableModule::Column>& columns,
                                          std::vector<ModulePlace>* places = nullptr) {
  constexpr std::int64_t kMostNumbers = 1 << 14;
  std::vector<TableColumn> out;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const TableModule::Column& one = columns[k];
    const bool wide = one.numbers > kMostNumbers, several = one.other.empty() && one.numbers > 1 && !wide;
    const auto numbers = static_cast<std::size_t>(several ? one.numbers : 1);
    for (std::size_t at = 0; at < numbers; ++at) {
      out.push_back({several ? fmt::format("{}[{}]", one.name, at) : one.name,
                     wide ? fmt::format("{} numbers per row", one.numbers) : one.other, several ? one.name : ""});
      if (places != nullptr) places->push_back({k, at});
    }
  }
  return out;
}

class ModuleTable final : public TableFile {
 public:
  ModuleTable(std::unique_ptr<TableModule> table, const std::string& where, const TableChoice& choice)
      : TableFile(where), table_(std::move(table)) {
    std::vector<TableFacts> facts;
    for (const TableModule::Table& one : table_->tables())
      facts.push_back({one.name, columns_of_table(one.columns), true, one.any_case, one.also});
    // A format that supports only one table has no name for it.
    const bool nameless = facts.size() == 1 && facts.front().name.empty();
    PAIRS_CHECK(!nameless || choice.name.empty(), "{} is of a format that holds one table alone; leave --table {} out",
                where, printable(choice.name, 100));
    const std::size_t taken = pick_table(facts, choice, where);
    any_case_ = facts[taken].any_case;
    call([&] { table_->choose(taken, choice.wanted); });
    columns_ = columns_of_table(table_->columns(), &places_);
    rows_ = table_->rows();
  }

 private:
  template <class Call>
  void call(const Call& what) const {
    try {
      what();
    } catch (const std::exception& error) {
      fail("{}: {}", where(), module_sentence(error));
    }
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    // The columns to read, each once, and the positions of the wanted numbers in their rows.
    std::vector<std::size_t> columns, begins, wanted;
    std::size_t width = 0;
    for (const std::size_t place : places) {
      const ModulePlace one = places_[place];
      std::size_t k = 0;
      while (k < columns.size() && columns[k] != one.column) ++k;
      if (k == columns.size()) {
        columns.push_back(one.column);
        begins.push_back(width);
        width += static_cast<std::size_t>(table_->columns()[one.column].numbers);
      }
      wanted.push_back(begins[k] + one.at);
    }
    if (width == places.size() && columns.size() == places.size())
      return call([&] { table_->read(first, count, columns, out); });
    constexpr std::size_t kNumbers = 1 << 18;
    const auto most = static_cast<std::int64_t>(std::max<std::size_t>(kNumbers / width, 1));
    std::vector<double> rows;
    for (std::int64_t done = 0, part; done < count; done += part) {
      part = std::min(most, count - done);
      rows.resize(static_cast<std::size_t>(part) * width);
      call([&] { table_->read(first + done, part, columns, rows.data()); });
      for (std::size_t i = 0; i < static_cast<std::size_t>(part); ++i)
        for (const std::size_t at : wanted) *out++ = rows[i * width + at];
    }
  }

  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    if (!columns_[place].vector.empty()) return TableFile::read_row_texts(first, count, place, out);
    call([&] { table_->read_texts(first, count, places_[place].column, out); });
  }

  std::unique_ptr<TableModule> table_;
  std::vector<ModulePlace> places_;  // of each column
};

[[maybe_unused]] std::unique_ptr<TableFile> open_by(OpenTable* open, const std::filesystem::path& path,
                                                    const std::string& where, const TableChoice& choice) {
  std::unique_ptr<TableModule> module;
  try {
    module.reset(open(path.c_str()));
  } catch (const std::exception& error) {
    fail("{}: {}", where, module_sentence(error));
  }
  return std::make_unique<ModuleTable>(std::move(module), where, choice);
}

}  // namespace

std::unique_ptr<TableFile> open_arrow_table([[maybe_unused]] const std::filesystem::path& path,
                                            const std::string& where, [[maybe_unused]] const TableChoice& choice) {
#if PAIRS_WITH_ARROW
  static OpenTable* const open = opener_of("libpairs_arrow.so", "Parquet and Arrow");
  return open_by(open, path, where, choice);
#else
  fail(
      "{} is a Parquet or Arrow file, which this build does not read: configure it with -DPAIRS_ARROW=ON, or save the "
      "table as CSV or HDF5",
      where);
#endif
}

std::unique_ptr<TableFile> open_fits_table([[maybe_unused]] const std::filesystem::path& path, const std::string& where,
                                           [[maybe_unused]] const TableChoice& choice) {
#if PAIRS_WITH_FITS
  static OpenTable* const open = opener_of("libpairs_fits.so", "FITS");
  return open_by(open, path, where, choice);
#else
  fail(
      "{} is a FITS file, which this build does not read: install libcfitsio-dev and configure it with "
      "-DPAIRS_FITS=ON, or save the table as CSV",
      where);
#endif
}

}  // namespace pairs
