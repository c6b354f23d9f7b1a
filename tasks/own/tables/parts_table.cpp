#include "tasks/own/tables/parts_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/files/gzip.h"
#include "core/base/tables/csv_records.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/file_format.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// A table of text. The last requested columns are kept in memory.
class TextTable final : public TableFile {
 public:
  // `names`: columns that the text may name.
  TextTable(fs::path path, const std::string& where, const std::vector<std::string>& names)
      : TableFile(where), path_(std::move(path)), records_(path_, names) {
    for (const std::string& name : records_.columns()) columns_.push_back({name});
    named_ = records_.named();
    for (std::string_view row; records_.next(row);) ++rows_;
    records_.rewind();
  }

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    if (places != places_ || !numbers_.defined()) {
      // All columns in order are not selected by number: for these the count of columns may be uncertain.
      bool all = !named_ && places.size() == columns_.size();
      for (std::size_t k = 0; k < places.size(); ++k) all = all && places[k] == k;
      std::vector<std::string> wanted;
      for (const std::size_t place : places) wanted.push_back(name_of(place, all));
      numbers_ = read_csv_table(path_, wanted, true).rows;
      places_ = places;
      PAIRS_CHECK(numbers_.size(0) == rows_, "{} was changed while it was read; ask again", where());
    }
    const torch::Tensor rows = numbers_.slice(0, first, first + count).contiguous();
    std::copy_n(rows.const_data_ptr<double>(), rows.numel(), out);
  }

  // A column's name for the text's reader.
  std::string name_of(std::size_t place, bool all) const {
    const std::vector<std::string> all_names = names();
    const std::string& name = all_names[place];
    if (named_ && !name.empty() && std::count(all_names.begin(), all_names.end(), name) == 1) return name;
    return all ? fmt::format("value {}", place + 1) : fmt::format("column {}", place + 1);
  }

  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    if (first < at_) {
      records_.rewind();
      at_ = 0;
    }
    std::string_view row;
    for (; at_ < first + count; ++at_) {
      PAIRS_CHECK(records_.next(row), "{} was changed while it was read; ask again", where());
      if (at_ < first) continue;
      std::string_view cell;
      bool more = true;
      for (std::size_t k = 0; k <= place + records_.shift() && more; ++k)
        cell = take_csv_cell(row, records_.separator(), more);
      out.push_back(csv_text(cell));
    }
  }

  fs::path path_;
  CsvRecords records_;
  std::int64_t at_ = 0;  // the next row
  torch::Tensor numbers_;
  std::vector<std::size_t> places_;
};

// Tables with the same columns, concatenated.
class PartsTable final : public TableFile {
 public:
  PartsTable(std::vector<std::unique_ptr<TableFile>> parts, const std::string& where,
             std::shared_ptr<const UnzippedFile> unpacked)
      : TableFile(where), unpacked_(std::move(unpacked)), parts_(std::move(parts)) {
    columns_ = parts_.front()->columns();
    named_ = parts_.front()->named();
    any_case_ = parts_.front()->any_case();
    for (const std::unique_ptr<TableFile>& part : parts_) {
      PAIRS_CHECK(part->names() == names() && part->named() == named_,
                  "{} holds parts of one table, but {} has the columns {} and {} has {}; move what is no part of it",
                  where, parts_.front()->where(), printable(fmt::format("{}", fmt::join(names(), ", ")), 300),
                  part->where(), printable(fmt::format("{}", fmt::join(part->names(), ", ")), 300));
      for (std::size_t k = 0; k < columns_.size(); ++k)
        if (columns_[k].other.empty()) columns_[k].other = part->columns()[k].other;
      starts_.push_back(rows_);
      rows_ += part->rows();
    }
  }

 private:
  // Calls read(part, first, count, done) for the rows of each part; `done`: rows before them.
  template <class Read>
  void each_part(std::int64_t first, std::int64_t count, Read&& read) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t row = first + done;
      const auto at =
          static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
      const std::int64_t own = row - starts_[at], rows = std::min(count - done, parts_[at]->rows() - own);
      read(*parts_[at], own, rows, done);
      done += rows;
    }
  }

  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    each_part(first, count, [&](TableFile& part, std::int64_t own, std::int64_t rows, std::int64_t done) {
      read_rows_of(part, own, rows, places, out + static_cast<std::size_t>(done) * places.size());
    });
  }
  void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place,
                      std::vector<std::string>& out) override {
    std::vector<std::string> texts;
    each_part(first, count, [&](TableFile& part, std::int64_t own, std::int64_t rows, std::int64_t) {
      part.read_texts(own, rows, place, texts);
      out.insert(out.end(), texts.begin(), texts.end());
    });
  }

  std::shared_ptr<const UnzippedFile> unpacked_;
  std::vector<std::unique_ptr<TableFile>> parts_;
  std::vector<std::int64_t> starts_;
};

// Rethrows an unpacked file's Error with the name of the packed file.
[[noreturn]] void fail_named(const Error& error, const std::string& unpacked, const std::string& where) {
  std::string text = error.what();
  for (std::size_t at = text.find(unpacked); at != text.npos; at = text.find(unpacked, at + where.size()))
    text.replace(at, unpacked.size(), where);
  fail("{}", text);
}

std::unique_ptr<TableFile> open_zipped(const fs::path& path, const std::string& where, const TableChoice& choice) {
  auto unpacked = std::make_shared<const UnzippedFile>(path);
  try {
    std::vector<std::unique_ptr<TableFile>> only;
    only.push_back(open_table(unpacked->path(), choice));
    return std::make_unique<PartsTable>(std::move(only), where, std::move(unpacked));
  } catch (const Error& error) {
    fail_named(error, unpacked->path().string(), where);
  }
}

}  // namespace

std::unique_ptr<TableFile> open_joined_table(const fs::path& path, const std::string& where,
                                             const TableChoice& choice) {
  if (const std::vector<fs::path> files = table_parts(path); !files.empty()) {
    std::vector<std::unique_ptr<TableFile>> parts;
    for (const fs::path& file : files) parts.push_back(open_table(file, choice));
    return std::make_unique<PartsTable>(std::move(parts), where, nullptr);
  }
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return nullptr;
  if (format_of(path) == FileFormat::text) return std::make_unique<TextTable>(path, where, choice.wanted);
  return is_gzip_file(path) ? open_zipped(path, where, choice) : nullptr;
}

}  // namespace pairs
