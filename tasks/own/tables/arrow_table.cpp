#include <dlfcn.h>

#include <exception>
#include <new>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tasks/own/tables/arrow_module.h"
#include "tasks/own/tables/formats.h"

namespace pairs {
#if PAIRS_WITH_ARROW
namespace {

// Beside the program, or in ../lib where it is installed.
OpenArrow* arrow_opener() {
  constexpr const char* kName = "libpairs_arrow.so";
  const std::filesystem::path folder = program_folder();
  for (const auto& place : {folder / kName, folder.parent_path() / "lib" / kName}) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) {
      const char* const problem = ::dlerror();
      fail("{} does not load ({}); install Pairs Studio again", printable(place.string(), 300),
           printable(problem ? problem : "no reason was given", 300));
    }
    const auto version = reinterpret_cast<int (*)()>(::dlsym(module, "pairs_arrow_version"));
    const auto open = reinterpret_cast<OpenArrow*>(::dlsym(module, kOpenArrow));
    PAIRS_CHECK(version && open && version() == kArrowVersion, "{} is of another version; build it again",
                printable(place.string(), 300));
    return open;
  }
  fail("{}, the part of Pairs Studio that reads Parquet and Arrow files, is missing; install Pairs Studio again",
       kName);
}

// What the module says is a sentence; running out of memory has no words.
std::string arrow_sentence(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) ? sentence(error) : printable(error.what(), 400);
}

class ArrowTable final : public TableFile {
 public:
  ArrowTable(std::unique_ptr<ArrowReader> reader, const std::string& where)
      : TableFile(where), reader_(std::move(reader)) {
    for (const ArrowReader::Column& column : reader_->columns()) columns_.push_back({column.name, column.other});
    rows_ = reader_->rows();
  }

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    try {
      reader_->read(first, count, places, out);
    } catch (const std::exception& error) {
      fail("{}: {}", where(), arrow_sentence(error));
    }
  }

  std::unique_ptr<ArrowReader> reader_;
};

}  // namespace

std::unique_ptr<TableFile> open_arrow_table(const std::filesystem::path& path, const std::string& where) {
  static OpenArrow* const open = arrow_opener();
  try {
    return std::make_unique<ArrowTable>(std::unique_ptr<ArrowReader>(open(path.c_str())), where);
  } catch (const std::exception& error) {
    fail("{}: {}", where, arrow_sentence(error));
  }
}

#else

std::unique_ptr<TableFile> open_arrow_table(const std::filesystem::path&, const std::string& where) {
  fail(
      "{} is a Parquet or Arrow file, which this build does not read: configure it with -DPAIRS_ARROW=ON, or save the "
      "table as CSV or HDF5",
      where);
}

#endif
}  // namespace pairs
