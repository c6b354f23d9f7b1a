#include "core/base/files/npz.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/gzip.h"
#include "core/base/files/npy.h"
#include "core/base/files/npz_texts.h"
#include "core/base/files/plain_npz.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

struct ZipError {
  zip_error_t value;
  ZipError() { zip_error_init(&value); }
  ~ZipError() { zip_error_fini(&value); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  std::string text() { return printable(zip_error_strerror(&value)); }
};

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Zip = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;

constexpr std::string_view suffix = ".npy";

Zip open_archive(std::string_view bytes, const std::string& where) {
  // libzip treats an empty file as an archive without members.
  PAIRS_CHECK(!bytes.empty(), "{} is empty; restore or make it again", where);
  ZipError error;
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.value));
  PAIRS_CHECK(source, "cannot read {}: {}", where, error.text());
  Zip archive(zip_open_from_source(source.get(), ZIP_RDONLY, &error.value));
  PAIRS_CHECK(archive, "{} is damaged, cut short or not a .npz file ({}); restore or make it again", where,
              error.text());
  (void)source.release();  // the archive owns it now
  return archive;
}

// One array of an archive: its header, followed by its data.
class ArrayStream {
 public:
  ArrayStream(zip_t* archive, zip_uint64_t index, std::uint64_t announced, const std::string& where)
      : member_(zip_fopen_index(archive, index, 0)), where_(where) {
    PAIRS_CHECK(member_, "{} cannot be opened ({}); make the file again", where, printable(zip_strerror(archive)));
    header_ = read_npy_header([this](char* target, std::size_t size) { take(target, size); }, where, true);
    PAIRS_CHECK(announced >= taken_ && header_.bytes == announced - taken_,
                "{} is damaged: its shape needs {} of data but the file announces {}; make the file again", where,
                byte_text(header_.bytes), byte_text(announced - std::min(taken_, announced)));
  }

  const NpyHeader& header() const { return header_; }

  std::vector<std::string> read_texts(std::uint64_t budget) {
    PAIRS_CHECK(header_.shape.size() <= 1, "{} holds texts along {} axes where one is needed", where_,
                header_.shape.size());
    PAIRS_CHECK(header_.bytes <= budget, "{} would need {} of memory where {} are allowed; split it into smaller files",
                where_, byte_text(header_.bytes), byte_text(budget));
    return read_npy_texts(header_, [this](char* target, std::size_t size) { take(target, size); });
  }

  torch::Tensor read(std::int64_t rows, std::uint64_t budget) {
    const NpyHeader part = first_rows(header_, rows);
    PAIRS_CHECK(std::max(part.bytes, part.widened_bytes) <= budget,
                "{} would need {} of memory where {} are allowed; split it into smaller files", where_,
                byte_text(part.widened_bytes), byte_text(budget));
    torch::Tensor tensor = read_npy_data(
        part, [this](char* target, std::size_t size) { take(target, size); }, where_);
    // libzip verifies the checksum at the end of the member.
    char beyond;
    PAIRS_CHECK(part.bytes < header_.bytes || zip_fread(member_.get(), &beyond, 1) == 0,
                "{} is damaged: its checksum does not match; make the file again", where_);
    return tensor;
  }

 private:
  void take(char* target, std::size_t size) {
    while (size > 0) {
      const zip_int64_t got = zip_fread(member_.get(), target, std::min<std::size_t>(size, 1u << 30));
      PAIRS_CHECK(got >= 0, "{} is damaged ({}); restore or make the file again", where_,
                  printable(zip_file_strerror(member_.get())));
      PAIRS_CHECK(got > 0, "{} is cut short; restore or make the file again", where_);
      target += got;
      size -= static_cast<std::size_t>(got);
      taken_ += static_cast<std::uint64_t>(got);
    }
  }

  Member member_;
  const std::string& where_;
  std::uint64_t taken_ = 0;
  NpyHeader header_;
};

// The name of the array in a file that is a single array instead of an archive.
constexpr const char* kOnlyArray = "x";

bool is_npy(std::string_view bytes) {
  return bytes.starts_with("\x93NUMPY");
}

// One array as the bytes of a .npy file.
class NpyBytes {
 public:
  NpyBytes(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {
    header_ = read_npy_header(reader(), where);
    PAIRS_CHECK(rest_.size() == header_.bytes,
                "{} is damaged: its shape needs {} of data but the file holds {}; make the file again", where,
                byte_text(header_.bytes), byte_text(rest_.size()));
  }
  const NpyHeader& header() const { return header_; }
  torch::Tensor read(std::int64_t rows, std::uint64_t budget) {
    const NpyHeader part = first_rows(header_, rows);
    PAIRS_CHECK(part.widened_bytes <= budget,
                "{} would need {} of memory where {} are allowed; split it into smaller files", where_,
                byte_text(part.widened_bytes), byte_text(budget));
    const torch::Tensor tensor = read_npy_data(part, reader(), where_);
    const bool more = tensor.dim() > 0 && tensor.size(0) > rows;
    return more ? tensor.slice(0, 0, rows).contiguous() : tensor;
  }

 private:
  ByteReader reader() {
    return [this](char* target, std::size_t size) {
      PAIRS_CHECK(size <= rest_.size(), "{} is cut short; restore or make the file again", where_);
      rest_.copy(target, size);
      rest_.remove_prefix(size);
    };
  }

  std::string_view rest_;
  const std::string& where_;
  NpyHeader header_;
};

}  // namespace

std::uint64_t array_memory_limit() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE)) /
         2;
}

struct NpzReader::Archive {
  struct Entry {
    zip_uint64_t index;
    std::uint64_t announced;  // bytes, once unpacked
    std::string place;
  };
  std::string bytes;
  std::uint64_t budget;
  Zip zip;
  std::map<std::string, Entry> entries;
  std::string where = {};  // for a file that is a single .npy array
};

NpzReader::NpzReader(const std::filesystem::path& file)
    : NpzReader(read_unzipped(file, array_memory_limit()), printable(file.string(), 300)) {}

NpzReader::NpzReader(std::string bytes, std::string where, std::uint64_t limit)
    : archive_(std::make_unique<Archive>(Archive{std::move(bytes), limit, nullptr, {}})) {
  if (is_npy(archive_->bytes)) {
    shapes_[kOnlyArray] = NpyBytes(archive_->bytes, where).header().shape;
    archive_->where = std::move(where);
    return;
  }
  archive_->zip = open_archive(archive_->bytes, where);
  const zip_int64_t count = zip_get_num_entries(archive_->zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t status;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    PAIRS_CHECK(zip_stat_index(archive_->zip.get(), index, 0, &status) == 0 && (status.valid & needed) == needed,
                "{} is damaged: its entry {} cannot be read; make the file again", where, i + 1);
    std::string name = status.name;
    const std::string place = fmt::format("{}: array '{}'", where, printable(name));
    const bool array = name.size() > suffix.size() && name.ends_with(suffix);
    if (array) name.resize(name.size() - suffix.size());
    // A problem of one array is reported when that array is read, because others may be intact.
    try {
      PAIRS_CHECK(array, "{} is no .npy array; a .npz file must hold nothing else", place);
      PAIRS_CHECK(status.encryption_method == ZIP_EM_NONE, "{} is encrypted; save it without a password", place);
      PAIRS_CHECK(status.comp_method == ZIP_CM_STORE || status.comp_method == ZIP_CM_DEFLATE,
                  "{} has a compression that is not supported; save it with NumPy's savez or savez_compressed", place);
      PAIRS_CHECK(!archive_->entries.contains(name) && !problems_.contains(name),
                  "{} appears in the file twice; make the file again", place);
      const NpyHeader header = ArrayStream(archive_->zip.get(), index, status.size, place).header();
      archive_->entries.emplace(name, Archive::Entry{index, status.size, place});
      if (!header.text()) shapes_[name] = header.shape;
    } catch (const Error& error) {
      problems_.emplace(name, error.what());
      archive_->entries.erase(name);
      shapes_.erase(name);
    }
  }
  if (shapes_.empty() && !problems_.empty()) fail("{}", problems_.begin()->second);
  PAIRS_CHECK(count == 0 || !shapes_.empty(), "{} holds texts alone; save numbers as float32, float64 or int64", where);
}

NpzReader::~NpzReader() = default;

std::vector<std::string> read_npz_texts(const std::filesystem::path& file, const std::string& name) {
  const std::string bytes = read_unzipped(file, array_memory_limit()), where = printable(file.string(), 300),
                    member = name + std::string(suffix), place = fmt::format("{}: array '{}'", where, printable(name));
  const Zip zip = open_archive(bytes, where);
  zip_stat_t status;
  if (zip_stat(zip.get(), member.c_str(), 0, &status) != 0) return {};
  ArrayStream stream(zip.get(), status.index, status.size, place);
  if (!stream.header().text()) return {};
  return stream.read_texts(array_memory_limit());
}

std::pair<std::string, std::vector<std::string>> find_npz_texts(const std::filesystem::path& file,
                                                                const std::vector<std::string>& names) {
  const bool unpacked = is_gzip_file(file);
  const std::string bytes = unpacked ? read_unzipped(file, array_memory_limit()) : "";
  if (unpacked && !bytes.starts_with("PK")) return {};  // a single array
  int error = 0;
  const Zip zip =
      unpacked ? open_archive(bytes, printable(file.string(), 300)) : Zip(zip_open(file.c_str(), ZIP_RDONLY, &error));
  if (!zip) return {};  // likewise
  for (const std::string& name : names) {
    zip_stat_t status;
    if (zip_stat(zip.get(), (name + std::string(suffix)).c_str(), 0, &status) != 0) continue;
    ArrayStream stream(zip.get(), status.index, status.size,
                       fmt::format("{}: array '{}'", printable(file.string(), 300), printable(name)));
    if (stream.header().text()) return {name, stream.read_texts(array_memory_limit())};
  }
  return {};
}

torch::Tensor NpzReader::read(const std::string& name, std::int64_t rows) {
  if (const auto problem = problems_.find(name); problem != problems_.end()) fail("{}", problem->second);
  if (!archive_->zip) return NpyBytes(archive_->bytes, archive_->where).read(rows, archive_->budget);
  const Archive::Entry& entry = archive_->entries.at(name);
  ArrayStream stream(archive_->zip.get(), entry.index, entry.announced, entry.place);
  torch::Tensor tensor = stream.read(rows, archive_->budget);
  archive_->budget -= tensor.nbytes();
  const bool more = tensor.dim() > 0 && tensor.size(0) > rows;
  return more ? tensor.slice(0, 0, rows).contiguous() : tensor;
}

void NpzReader::check_all() const {
  if (!problems_.empty()) fail("{}", problems_.begin()->second);
}

std::map<std::string, torch::Tensor> parse_npz(std::string_view bytes, const std::string& where, std::uint64_t limit) {
  NpzReader reader(std::string(bytes), where, limit);
  reader.check_all();
  std::map<std::string, torch::Tensor> arrays;
  for (const auto& [name, shape] : reader.shapes()) arrays.emplace(name, reader.read(name));
  return arrays;
}

std::map<std::string, torch::Tensor> read_npz(const std::filesystem::path& file) {
  NpzReader reader(file);
  reader.check_all();
  std::map<std::string, torch::Tensor> arrays;
  for (const auto& [name, shape] : reader.shapes()) arrays.emplace(name, reader.read(name));
  return arrays;
}

namespace {

void write_archive(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   zip_int32_t method) {
  const std::string where = printable(file.string(), 300);
  PAIRS_CHECK(!arrays.empty(), "cannot write {}: there are no arrays to write", where);
  ZipError error;
  const Source whole(zip_source_buffer_create(nullptr, 0, 0, &error.value));
  PAIRS_CHECK(whole, "cannot write {}: {}", where, error.text());
  zip_source_keep(whole.get());  // for reading it back below
  Zip archive(zip_open_from_source(whole.get(), ZIP_CREATE | ZIP_TRUNCATE, &error.value));
  PAIRS_CHECK(archive, "cannot write {}: {}", where, error.text());

  std::vector<std::string> headers;  // these and the tensors must outlive zip_close
  std::vector<torch::Tensor> tensors;
  headers.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    const std::string place = fmt::format("array '{}' of {}", printable(name), where);
    PAIRS_CHECK(array.defined() && array.layout() == torch::kStrided, "cannot write {}: it is undefined or not dense",
                place);
    const torch::Tensor& tensor = tensors.emplace_back(array.detach().to(torch::kCPU).contiguous());
    std::string& header = headers.emplace_back(npy_header_text(tensor.scalar_type(), tensor.sizes(), place));
    const zip_buffer_fragment_t fragments[] = {
        {reinterpret_cast<zip_uint8_t*>(header.data()), header.size()},
        {static_cast<zip_uint8_t*>(tensor.data_ptr()), static_cast<zip_uint64_t>(tensor.nbytes())}};
    Source source(zip_source_buffer_fragment_create(fragments, tensor.nbytes() > 0 ? 2 : 1, 0, &error.value));
    PAIRS_CHECK(source, "cannot write {}: {}", place, error.text());
    const zip_int64_t index =
        zip_file_add(archive.get(), (name + std::string(suffix)).c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    PAIRS_CHECK(index >= 0, "cannot write {}: {}; rename it", place, printable(zip_strerror(archive.get())));
    (void)source.release();
    // Fast compression, because floats hardly compress. The oldest date that a zip file can hold, so that equal arrays
    // give equal bytes.
    constexpr zip_uint16_t first_day = 1 << 5 | 1;
    const auto entry = static_cast<zip_uint64_t>(index);
    PAIRS_CHECK(zip_set_file_compression(archive.get(), entry, method, 1) == 0 &&
                    zip_file_set_dostime(archive.get(), entry, 0, first_day, 0) == 0,
                "cannot write {}: {}", place, printable(zip_strerror(archive.get())));
  }
  PAIRS_CHECK(zip_close(archive.get()) == 0, "cannot write {}: {}", where, printable(zip_strerror(archive.get())));
  (void)archive.release();

  zip_stat_t status;
  PAIRS_CHECK(zip_source_stat(whole.get(), &status) == 0 && zip_source_open(whole.get()) == 0, "cannot write {}: {}",
              where, printable(zip_error_strerror(zip_source_error(whole.get()))));
  std::string bytes(status.size, '\0');
  const zip_int64_t got = zip_source_read(whole.get(), bytes.data(), bytes.size());
  zip_source_close(whole.get());
  PAIRS_CHECK(got == static_cast<zip_int64_t>(bytes.size()), "cannot write {}: the archive is incomplete", where);
  write_file(file, bytes);
}

}  // namespace

void write_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays) {
  write_archive(file, arrays, ZIP_CM_DEFLATE);
}

void write_plain_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays) {
  write_archive(file, arrays, ZIP_CM_STORE);
}

}  // namespace pairs
