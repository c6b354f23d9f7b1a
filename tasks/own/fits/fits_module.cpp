#include <fitsio.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "tasks/own/tables/table_module.h"

// libpairs_fits.so: the tables of a FITS file, binary or text.

namespace pairs {
namespace {

// The library has global state: one call at a time.
std::mutex& fits_lock() {
  static std::mutex lock;
  return lock;
}

// Throws if a call failed: "it is damaged (the library's reason); write it again".
void check_fits(int status, const std::string& what, const std::string& to_do) {
  if (status == 0) return;
  char reason[FLEN_STATUS] = "";
  fits_get_errstatus(status, reason);
  throw std::runtime_error(what + " (" + reason + "); " + to_do);
}

class FitsTable final : public TableModule {
 public:
  explicit FitsTable(const char* path) {
    const std::lock_guard guard(fits_lock());
    int status = 0;
    // Opens a plain path: the library's extended syntax would open other files, and contact servers.
    fits_open_diskfile(&file_, path, READONLY, &status);
    check_fits(status, "it is damaged, cut short or no FITS file", "write it again");
    try {
      find_tables();
    } catch (...) {
      close();
      throw;
    }
  }
  ~FitsTable() override {
    const std::lock_guard guard(fits_lock());
    close();
  }

  const std::vector<Table>& tables() const override { return tables_; }
  void choose(std::size_t table, const std::vector<std::string>&) override {
    const std::lock_guard guard(fits_lock());
    int status = 0;
    fits_movabs_hdu(file_, numbers_[table], nullptr, &status);
    LONGLONG rows = 0;
    fits_get_num_rowsll(file_, &rows, &status);
    check(status);
    rows_ = rows;
    columns_ = read_columns(types_);
  }
  const std::vector<Column>& columns() const override { return columns_; }
  std::int64_t rows() const override { return rows_; }
  void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    const std::lock_guard guard(fits_lock());
    std::size_t width = 0, begin = 0;
    for (const std::size_t place : places) width += static_cast<std::size_t>(columns_[place].numbers);
    for (const std::size_t place : places) {
      const auto numbers = static_cast<std::size_t>(columns_[place].numbers);
      read_column(first, count, place);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        std::copy_n(buffer_.data() + i * numbers, numbers, out + i * width + begin);
      begin += numbers;
    }
  }

  void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) override {
    const std::lock_guard guard(fits_lock());
    if (types_[place] == TSTRING) return read_strings(first, count, place, out);
    if (!columns_[place].other.empty())
      throw std::runtime_error("column " + columns_[place].name + " holds " + columns_[place].other +
                               ", by which sets cannot be separated; convert it");
    const int whole[] = {TBYTE, TSBYTE, TUSHORT, TSHORT, TUINT, TINT, TULONG, TLONG, TLONGLONG};
    if (std::find(std::begin(whole), std::end(whole), types_[place]) != std::end(whole))
      return read_whole(first, count, place, out);
    read_column(first, count, place);
    for (const double number : buffer_) {
      char text[40];
      const auto [end, error] = std::to_chars(text, text + sizeof text, number);
      out.push_back(number != number ? "" : std::string(text, end));
    }
  }

 private:
  // Reads whole numbers that may not fit in doubles.
  void read_whole(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) {
    int status = 0, any = 0;
    std::vector<LONGLONG> numbers(static_cast<std::size_t>(count));
    std::vector<char> missing(numbers.size());
    fits_read_colnull(file_, TLONGLONG, static_cast<int>(place) + 1, first + 1, 1, count, numbers.data(),
                      missing.data(), &any, &status);
    check(status);
    for (std::size_t i = 0; i < numbers.size(); ++i) out.push_back(missing[i] ? "" : std::to_string(numbers[i]));
  }

  void read_strings(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) {
    int status = 0, width = 0, any = 0;
    const int column = static_cast<int>(place) + 1;
    fits_get_col_display_width(file_, column, &width, &status);
    check(status);
    const auto length = static_cast<std::size_t>(width) + 1;
    std::vector<char> bytes(length * static_cast<std::size_t>(count));
    std::vector<char*> texts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) texts.push_back(bytes.data() + i * length);
    char missing[] = "";
    fits_read_col(file_, TSTRING, column, first + 1, 1, count, missing, texts.data(), &any, &status);
    check(status);
    for (const char* text : texts) {
      out.emplace_back(text);
      out.back().resize(out.back().find_last_not_of(' ') + 1);
    }
  }

  void close() {
    int ignored = 0;
    fits_close_file(file_, &ignored);
  }
  static void check(int status) { check_fits(status, "it is damaged or cut short", "write it again"); }

  // Finds all tables; what follows a damaged one is unknown.
  void find_tables() {
    for (int number = 2;; ++number) {
      int status = 0, kind = IMAGE_HDU;
      fits_movabs_hdu(file_, number, &kind, &status);
      if (status == END_OF_FILE) break;
      if (status != 0 && tables_.empty()) check(status);
      if (status != 0) break;
      if (kind == IMAGE_HDU) continue;
      char name[FLEN_VALUE] = "";
      int unnamed = 0;
      fits_read_key(file_, TSTRING, "EXTNAME", name, nullptr, &unnamed);
      const std::string place = std::to_string(number - 1);
      std::vector<int> types;
      try {
        tables_.push_back({unnamed == 0 && *name ? name : place, place, read_columns(types), true});
        numbers_.push_back(number);
      } catch (const std::exception&) {
        if (tables_.empty()) throw;
        break;
      }
    }
    if (tables_.empty()) throw std::runtime_error("it holds no table; give a FITS file with a table extension");
  }

  // The columns of the library's current table.
  std::vector<Column> read_columns(std::vector<int>& types) {
    int status = 0, count = 0;
    fits_get_num_cols(file_, &count, &status);
    check(status);
    std::vector<Column> columns;
    types.clear();
    for (int k = 1; k <= count; ++k) {
      int type = 0, missing = 0;
      LONGLONG repeat = 0, width = 0;
      char key[FLEN_KEYWORD], name[FLEN_VALUE] = "", ignored[FLEN_COMMENT];
      fits_get_eqcoltypell(file_, k, &type, &repeat, &width, &status);
      fits_make_keyn("TTYPE", k, key, &status);
      check(status);
      fits_read_key(file_, TSTRING, key, name, ignored, &missing);
      const std::string other = other_of(type, repeat);
      columns.push_back(
          {missing == 0 && *name ? name : "column " + std::to_string(k), other, other.empty() ? repeat : 1});
      types.push_back(type);
    }
    return columns;
  }

  static std::string other_of(int type, LONGLONG repeat) {
    const int numbers[] = {TBYTE, TSBYTE,     TUSHORT,   TSHORT, TUINT,   TINT,    TULONG,
                           TLONG, TULONGLONG, TLONGLONG, TFLOAT, TDOUBLE, TLOGICAL};
    if (type == TSTRING) return "text";
    if (type < 0) return "lists of any length";
    if (type == TBIT) return "bits";
    if (type == TCOMPLEX || type == TDBLCOMPLEX) return "complex numbers";
    if (std::find(std::begin(numbers), std::end(numbers), type) == std::end(numbers)) return "values of another kind";
    return repeat > 0 ? "" : "nothing";
  }

  void read_column(std::int64_t first, std::int64_t count, std::size_t place) {
    int status = 0, any = 0;
    const LONGLONG all = count * columns_[place].numbers;
    buffer_.resize(static_cast<std::size_t>(all));
    const int column = static_cast<int>(place) + 1;
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    if (types_[place] == TLOGICAL) {
      std::vector<char> flags(buffer_.size()), missing(buffer_.size());
      fits_read_colnull(file_, TLOGICAL, column, first + 1, 1, all, flags.data(), missing.data(), &any, &status);
      check(status);
      for (std::size_t i = 0; i < buffer_.size(); ++i) buffer_[i] = missing[i] ? kMissing : flags[i] != 0;
      return;
    }
    double missing = kMissing;
    fits_read_col(file_, TDOUBLE, column, first + 1, 1, all, &missing, buffer_.data(), &any, &status);
    check(status);
    if (double null = 0; null_of_text(column, null))
      for (double& number : buffer_)
        if (number == null) number = kMissing;
  }

  // The null value of a column in a text table. The library compares characters from the left end of the column, but
  // numbers are right-aligned.
  bool null_of_text(int column, double& value) {
    int status = 0, kind = 0;
    fits_get_hdu_type(file_, &kind, &status);
    if (status != 0 || kind != ASCII_TBL) return false;
    char name[FLEN_VALUE] = "", unit[FLEN_VALUE] = "", form[FLEN_VALUE] = "", null[FLEN_VALUE] = "",
         shown[FLEN_VALUE] = "";
    long begins = 0;
    double scale = 1, zero = 0;
    fits_get_acolparms(file_, column, name, &begins, unit, form, &scale, &zero, null, shown, &status);
    check(status);
    char* end = null;
    value = std::strtod(null, &end) * scale + zero;
    return end != null && std::string_view(end).find_first_not_of(' ') == std::string_view::npos;
  }

  fitsfile* file_ = nullptr;
  std::vector<Table> tables_;
  std::vector<int> numbers_;     // of each table in the file
  std::vector<Column> columns_;  // of the selected table
  std::int64_t rows_ = 0;
  std::vector<int> types_;
  std::vector<double> buffer_;
};

}  // namespace
}  // namespace pairs

extern "C" __attribute__((visibility("default"))) int pairs_table_version() {
  return pairs::kTableModuleVersion;
}

extern "C" __attribute__((visibility("default"))) pairs::TableModule* pairs_open_table(const char* path) {
  return new pairs::FitsTable(path);
}
