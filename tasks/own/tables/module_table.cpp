#include <dlfcn.h>

#include <exception>
#include <new>

#include "core/base/error.h"
#include "core/base/program_part.h"
#include "core/base/text.h"
#include "tasks/own/tables/formats.h"
#include "tasks/own/tables/table_module.h"

namespace pairs {
namespace {

// Of the module of that name, beside the program or in ../lib where it is installed; `reads`: what it is for.
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

// What a module says is a sentence; running out of memory has no words.
std::string module_sentence(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) ? sentence(error) : printable(error.what(), 400);
}

class ModuleTable final : public TableFile {
 public:
  ModuleTable(std::unique_ptr<TableModule> table, const std::string& where)
      : TableFile(where), table_(std::move(table)) {
    for (const TableModule::Column& column : table_->columns()) columns_.push_back({column.name, column.other});
    rows_ = table_->rows();
  }

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    try {
      table_->read(first, count, places, out);
    } catch (const std::exception& error) {
      fail("{}: {}", where(), module_sentence(error));
    }
  }

  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    try {
      table_->read_texts(first, count, place, out);
    } catch (const std::exception& error) {
      fail("{}: {}", where(), module_sentence(error));
    }
  }

  std::unique_ptr<TableModule> table_;
};

[[maybe_unused]] std::unique_ptr<TableFile> open_by(OpenTable* open, const std::filesystem::path& path,
                                                    const std::string& where) {
  try {
    return std::make_unique<ModuleTable>(std::unique_ptr<TableModule>(open(path.c_str())), where);
  } catch (const std::exception& error) {
    fail("{}: {}", where, module_sentence(error));
  }
}

}  // namespace

std::unique_ptr<TableFile> open_arrow_table([[maybe_unused]] const std::filesystem::path& path,
                                            const std::string& where) {
#if PAIRS_WITH_ARROW
  static OpenTable* const open = opener_of("libpairs_arrow.so", "Parquet and Arrow");
  return open_by(open, path, where);
#else
  fail(
      "{} is a Parquet or Arrow file, which this build does not read: configure it with -DPAIRS_ARROW=ON, or save the "
      "table as CSV or HDF5",
      where);
#endif
}

std::unique_ptr<TableFile> open_fits_table([[maybe_unused]] const std::filesystem::path& path,
                                           const std::string& where) {
#if PAIRS_WITH_FITS
  static OpenTable* const open = opener_of("libpairs_fits.so", "FITS");
  return open_by(open, path, where);
#else
  fail(
      "{} is a FITS file, which this build does not read: install libcfitsio-dev and configure it with "
      "-DPAIRS_FITS=ON, or save the table as CSV",
      where);
#endif
}

}  // namespace pairs
