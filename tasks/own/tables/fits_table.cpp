#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/own/tables/formats.h"

#if PAIRS_WITH_FITS
#include <fitsio.h>

#include <algorithm>
#include <limits>
#include <mutex>

namespace pairs {
namespace {

// The library keeps state of its own: one call at a time.
std::mutex& fits_lock() {
  static std::mutex lock;
  return lock;
}

std::string fits_reason(int status) {
  char text[FLEN_STATUS] = "";
  fits_get_errstatus(status, text);
  return printable(text, 100);
}

class FitsTable final : public TableFile {
 public:
  FitsTable(const std::filesystem::path& path, const std::string& where) : TableFile(where) {
    const std::lock_guard guard(fits_lock());
    int status = 0;
    // A plain path: the library's own syntax would open other files, and ask servers.
    fits_open_diskfile(&file_, path.c_str(), READONLY, &status);
    PAIRS_CHECK(status == 0, "{} is damaged, cut short or not a FITS file ({}); write it again", where,
                fits_reason(status));
    try {
      find_table();
      read_columns();
    } catch (...) {
      close();
      throw;
    }
  }
  ~FitsTable() override {
    const std::lock_guard guard(fits_lock());
    close();
  }

 private:
  void close() {
    int ignored = 0;
    fits_close_file(file_, &ignored);
  }
  void check(int status) const {
    PAIRS_CHECK(status == 0, "{} is damaged or cut short ({}); write it again", where(), fits_reason(status));
  }

  void find_table() {
    int status = 0, kind = IMAGE_HDU;
    while (kind == IMAGE_HDU) {
      fits_movrel_hdu(file_, 1, &kind, &status);
      PAIRS_CHECK(status == 0, "{} holds no table ({}); give a FITS file with a table extension", where(),
                  fits_reason(status));
    }
  }

  void read_columns() {
    int status = 0, count = 0;
    LONGLONG rows = 0;
    fits_get_num_rowsll(file_, &rows, &status);
    fits_get_num_cols(file_, &count, &status);
    check(status);
    rows_ = rows;
    for (int k = 1; k <= count; ++k) {
      int type = 0;
      LONGLONG repeat = 0, width = 0;
      char key[FLEN_KEYWORD], name[FLEN_VALUE] = "", ignored[FLEN_COMMENT];
      fits_get_eqcoltypell(file_, k, &type, &repeat, &width, &status);
      check(status);
      fits_make_keyn("TTYPE", k, key, &status);
      int missing = 0;
      fits_read_key(file_, TSTRING, key, name, ignored, &missing);
      columns_.push_back({missing == 0 && *name ? name : fmt::format("column {}", k), other_of(type, repeat)});
      types_.push_back(type);
    }
  }

  static std::string other_of(int type, LONGLONG repeat) {
    const int numbers[] = {TBYTE, TSBYTE,     TUSHORT,   TSHORT, TUINT,   TINT,    TULONG,
                           TLONG, TULONGLONG, TLONGLONG, TFLOAT, TDOUBLE, TLOGICAL};
    if (type == TSTRING) return "text";
    if (std::find(std::begin(numbers), std::end(numbers), type) == std::end(numbers)) return "values of another kind";
    return repeat == 1 ? "" : fmt::format("{} numbers a row", repeat);
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    const std::lock_guard guard(fits_lock());
    for (std::size_t k = 0; k < places.size(); ++k) {
      read_column(first, count, places[k]);
      for (std::size_t i = 0; i < buffer_.size(); ++i) out[i * places.size() + k] = buffer_[i];
    }
  }

  void read_column(std::int64_t first, std::int64_t count, std::size_t place) {
    int status = 0, any = 0;
    buffer_.resize(static_cast<std::size_t>(count));
    const int column = static_cast<int>(place) + 1;
    if (types_[place] == TLOGICAL) {
      std::vector<char> flags(buffer_.size()), missing(buffer_.size());
      fits_read_colnull(file_, TLOGICAL, column, first + 1, 1, count, flags.data(), missing.data(), &any, &status);
      check(status);
      for (std::size_t i = 0; i < buffer_.size(); ++i)
        buffer_[i] = missing[i] ? std::numeric_limits<double>::quiet_NaN() : flags[i] != 0;
      return;
    }
    double missing = std::numeric_limits<double>::quiet_NaN();
    fits_read_col(file_, TDOUBLE, column, first + 1, 1, count, &missing, buffer_.data(), &any, &status);
    check(status);
  }

  fitsfile* file_ = nullptr;
  std::vector<int> types_;
  std::vector<double> buffer_;
};

}  // namespace

std::unique_ptr<TableFile> open_fits_table(const std::filesystem::path& path, const std::string& where) {
  return std::make_unique<FitsTable>(path, where);
}

}  // namespace pairs

#else

namespace pairs {

std::unique_ptr<TableFile> open_fits_table(const std::filesystem::path&, const std::string& where) {
  fail(
      "{} is a FITS file, which this build does not read: install libcfitsio-dev and configure it with "
      "-DPAIRS_FITS=ON, or save the table as CSV",
      where);
}

}  // namespace pairs

#endif
