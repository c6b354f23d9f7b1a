#include "tasks/file_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/base/files/gzip.h"
#include "core/base/tables/csv_records.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/table_file.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kJudged = 8192;  // bytes to check
constexpr int kJudgedRows = 3;

std::string in_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// "data.csv" for "data.csv.gz".
fs::path without_gz(const fs::path& file) {
  return in_lower(file.extension().string()) == ".gz" ? file.stem() : file.filename();
}

bool is_hdf5(std::string_view head) {
  for (std::size_t at = 0; at < head.size(); at = at == 0 ? 512 : 2 * at)
    if (head.substr(at).starts_with("\x89HDF\r\n\x1a\n")) return true;
  return false;
}

// The name of the first member of a zip archive.
std::string_view first_member(std::string_view head) {
  if (head.size() < 30) return {};
  const std::size_t length = static_cast<unsigned char>(head[26]) + 256u * static_cast<unsigned char>(head[27]);
  return head.substr(30, length);
}

// The first bytes of other programs' files, with their name in sentences and a remedy.
struct OtherFormat {
  std::string_view begins;
  const char* sentence;
};
constexpr OtherFormat kOthers[] = {
    {"\xd0\xcf\x11\xe0", "is a document of an old Office program, such as an Excel workbook; save its table as CSV"},
    {"MATLAB 5.0", "is a MAT file of version 5; save it with -v7.3, or its table as CSV"},
    {"RDX", "holds objects of R; save its table with write.csv"},
    {"RDA", "holds objects of R; save its table with write.csv"},
    {"X\n", "holds an object of R; save its table with write.csv"},
    {"SQLite format 3", "is a SQLite database; save its table as CSV"},
    {"<stata_dta>", "is a Stata file; save its table as CSV"},
    {"$FL2", "is an SPSS file; save its table as CSV"},
    {"root", "is a ROOT file; save its tree as Parquet or CSV, or name a program that reads it with --reader"},
    {"BZh", "is compressed with bzip2; unpack it, or compress it with gzip"},
    {"\xfd"
     "7zXZ",
     "is compressed with xz; unpack it, or compress it with gzip"},
    {"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it, or compress it with gzip"},
    {"\x04\x22\x4d\x18", "is compressed with lz4; unpack it, or compress it with gzip"},
    {"7z\xbc\xaf", "is a 7-Zip archive; unpack it"},
    {"Obj\x01", "is an Avro file; save its table as Parquet"},
    {"ORC", "is an ORC file; save its table as Parquet"},
    {"%PDF", "is a PDF document; give a table of numbers"},
    {"\x89PNG", "is a picture; give a table of numbers"},
    {"\xff\xd8\xff", "is a picture; give a table of numbers"},
};

std::string_view other_sentence(std::string_view head) {
  for (const OtherFormat& one : kOthers)
    if (head.starts_with(one.begins)) return one.sentence;
  if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    return "is a Python pickle, which could run a program; save its numbers with numpy.save or as CSV";
  if (head.starts_with("PK\x03\x04")) {
    const std::string_view member = first_member(head);
    if (member.starts_with("[Content_Types]") || member.starts_with("_rels") || member.starts_with("xl/") ||
        member.starts_with("docProps"))
      return "is an Excel workbook; save its table as CSV";
    if (member == "mimetype") return "is an OpenDocument file; save its table as CSV";
    if (!member.ends_with(".npy")) return "is a zip archive and no .npz file; unpack it";
  }
  return {};
}

// The format by the name only.
std::optional<FileFormat> format_by_name(const fs::path& file) {
  const std::string ending = in_lower(without_gz(file).extension().string());
  if (ending == ".npz" || ending == ".npy") return FileFormat::npz;
  if (ending == ".h5" || ending == ".hdf5" || ending == ".hdf") return FileFormat::hdf5;
  if (ending == ".fits" || ending == ".fit" || ending == ".fts") return FileFormat::fits;
  if (among(table_endings(), ending)) return FileFormat::arrow;
  if (among(text_endings(), ending)) return FileFormat::text;
  return {};
}

// The format by the first bytes; nothing if they are inconclusive.
std::optional<FileFormat> format_by_head(std::string_view head) {
  if (head.starts_with("\x93NUMPY")) return FileFormat::npz;
  if (head.starts_with("PAR1") || head.starts_with("PARE") || head.starts_with("ARROW1") || head.starts_with("FEA1"))
    return FileFormat::arrow;
  if (is_hdf5(head)) return FileFormat::hdf5;
  if (head.starts_with("SIMPLE  =")) return FileFormat::fits;
  if (!other_sentence(head).empty()) return FileFormat::other;
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return FileFormat::npz;
  return {};
}

bool is_text(std::string_view head) {
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return true;  // its reader refuses it by name
  std::size_t zeros = 0, others = 0;
  for (const char c : head) {
    zeros += c == 0 ? 1 : 0;
    others += (c > 0 && c < 7) || (c > 13 && c < 26) ? 1 : 0;
  }
  return others == 0 && (zeros == 0 || (zeros * 5 > 2 * head.size() && zeros * 5 < 3 * head.size()));
}

}  // namespace

FileFormat format_of(const fs::path& file) {
  const std::string head = unzipped_head(file, kJudged);
  const std::optional<FileFormat> named = format_by_name(file);
  if (const std::optional<FileFormat> known = format_by_head(head)) return *known;
  if (head.starts_with("\xff\xff\xff\xff") && (!named || *named == FileFormat::arrow)) return FileFormat::arrow;
  const bool text = !head.empty() && is_text(head);
  // A damaged FITS file begins with consecutive lines of 80 characters, without line ends.
  const bool cards = named == FileFormat::fits && head.substr(0, 2880).find('\n') == head.npos;
  // Prose in a file with another extension is not a text table with a wrong name.
  if (text && !cards && (!named || *named == FileFormat::text || is_text_table(file))) return FileFormat::text;
  return named.value_or(FileFormat::other);
}

std::string ending_of_format(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    const std::vector<fs::path> parts = table_parts(file);
    return parts.empty() ? in_lower(file.extension().string()) : ".parquet";
  }
  if (!fs::is_regular_file(file, error)) return in_lower(file.extension().string());
  switch (format_of(file)) {
    case FileFormat::text:
      return ".csv";
    case FileFormat::npz:
      return ".npz";
    case FileFormat::arrow:
      return ".parquet";
    case FileFormat::hdf5:
      return ".h5";
    case FileFormat::fits:
      return ".fits";
    case FileFormat::other:
      break;
  }
  return in_lower(file.extension().string());
}

std::string whole_ending(const fs::path& file) {
  const std::string last = in_lower(file.extension().string());
  return last == ".gz" ? in_lower(file.stem().extension().string()) + last : last;
}

const std::vector<std::string>& text_endings() {
  static const std::vector<std::string> endings = {".csv", ".tsv", ".txt", ".dat"};
  return endings;
}

bool is_text_table(const fs::path& file) {
  try {
    CsvRecords rows(file, {});
    std::string_view row;
    for (int number = 0; number < kJudgedRows && rows.next(row); ++number)
      for (bool more = true; more;) {
        double value;
        if (parse_csv_number(take_csv_cell(row, rows.separator(), more), value) == CsvNumber::good) return true;
      }
  } catch (const Error&) {
    // The reader reports what is wrong with a table; this may not be one.
  }
  return false;
}

std::string unread_format(const fs::path& file) {
  const std::string where = printable(file.string(), 300);
  const std::string head = unzipped_head(file, kJudged);
  const std::string_view known = other_sentence(head);
  if (!known.empty()) return fmt::format("{} {}", where, known);
  return fmt::format("{} is no file of observations; save it as CSV, .npz, .npy, Parquet, Arrow, HDF5 or FITS", where);
}

namespace {

// The common part of "part-00000-2f….snappy.parquet" of Spark, "part.0.parquet" of Dask, "2f…-0.parquet" of Arrow; ""
// for other names. It is the same in all parts except for digits.
bool is_part_name(const std::string& name) {
  const auto digits = [&](std::size_t from) {
    return from < name.size() && std::isdigit(static_cast<unsigned char>(name[from]));
  };
  if ((name.starts_with("part-") || name.starts_with("part.")) && digits(5)) return true;
  const std::size_t hex = name.find_first_not_of("0123456789abcdef");
  return hex == 32 && name[32] == '-' && digits(33);  // pyarrow.dataset and write_to_dataset
}

// Compares the numbers in names: part.2 comes before part.10.
bool before(const fs::path& a, const fs::path& b) {
  const std::string one = a.filename().string(), other = b.filename().string();
  std::size_t i = 0, j = 0;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < one.size() && j < other.size()) {
    if (digit(one[i]) && digit(other[j])) {
      std::size_t from = i, behind = j;
      while (i < one.size() && digit(one[i])) ++i;
      while (j < other.size() && digit(other[j])) ++j;
      while (from < i && one[from] == '0') ++from;
      while (behind < j && other[behind] == '0') ++behind;
      if (i - from != j - behind) return i - from < j - behind;
      if (const int order = one.compare(from, i - from, other, behind, j - behind); order != 0) return order < 0;
      continue;
    }
    if (one[i] != other[j]) return one[i] < other[j];
    ++i, ++j;
  }
  return one.size() - i < other.size() - j;
}

}  // namespace

std::vector<fs::path> table_parts(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) continue;  // _SUCCESS, _metadata, .part-0.crc
    if (!is_part_name(name) || !entry.is_regular_file(error)) return {};
    parts.push_back(entry.path());
  }
  std::sort(parts.begin(), parts.end(), before);
  return parts;
}

}  // namespace pairs
