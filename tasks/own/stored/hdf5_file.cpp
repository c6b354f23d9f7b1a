#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/own/stored/stored_array.h"

#if PAIRS_WITH_HDF5
#include <hdf5.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>

namespace pairs {
namespace {

// The library keeps state of its own and is not thread-safe as distributions build it: one call at a time.
std::recursive_mutex& hdf5_lock() {
  static std::recursive_mutex lock;
  return lock;
}

// Owns an identifier of the library.
class Hdf5Id {
 public:
  Hdf5Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Id() {
    const std::lock_guard guard(hdf5_lock());
    if (id_ >= 0) close_(id_);
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The reason that the library gives for its last failure, "" where it gives none.
std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        auto& text = *static_cast<std::string*>(out);
        if (text.empty() && error->desc != nullptr) text = printable(error->desc, 200);
        return 0;
      },
      &reason);
  return reason;
}

// The library tells nothing by itself.
void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// A dataset that the library unpacks, converts or gathers.
class Hdf5Array final : public StoredArray {
 public:
  Hdf5Array(std::shared_ptr<const Hdf5Id> file, std::shared_ptr<const Hdf5Id> dataset, bool integers,
            std::vector<std::int64_t> shape, std::string where)
      : StoredArray(std::move(shape), std::move(where)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        integers_(integers) {}
  void read(std::int64_t first, std::int64_t count, float* out) const override {
    all(first, count, out, H5T_NATIVE_FLOAT);
  }
  void read(std::int64_t first, std::int64_t count, double* out) const override {
    all(first, count, out, H5T_NATIVE_DOUBLE);
  }
  void read(std::int64_t first, std::int64_t count, std::int64_t* out) const override {
    PAIRS_CHECK(integers_, "{} holds floating-point numbers where whole ones are needed; save it as int64", where());
    all(first, count, out, H5T_NATIVE_INT64);
  }

 private:
  template <class Number>
  void all(std::int64_t first, std::int64_t count, Number* out, hid_t type) const {
    if (count == 0) return;
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    std::vector<hsize_t> start(shape().size(), 0), extent(shape().size(), 1);
    part(0, first, count, start, extent, out, type);
  }

  // Numbers first .. first + count - 1 of what the axes from `axis` on span, as few boxes.
  template <class Number>
  void part(std::size_t axis, std::int64_t first, std::int64_t count, std::vector<hsize_t>& start,
            std::vector<hsize_t>& extent, Number*& out, hid_t type) const {
    const std::int64_t inner = std::accumulate(shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape().end(),
                                               std::int64_t{1}, std::multiplies<>());
    const auto below = [&](std::int64_t row, std::int64_t from, std::int64_t to) {
      start[axis] = static_cast<hsize_t>(row);
      extent[axis] = 1;
      part(axis + 1, from, to - from, start, extent, out, type);
    };
    std::int64_t row = first / inner;
    const std::int64_t end = first + count;
    if (const std::int64_t skipped = first - row * inner; skipped > 0 || count < inner) {
      below(row, skipped, std::min(end - row * inner, inner));
      ++row;
    }
    if (const std::int64_t rows = end / inner - row; rows > 0) {
      start[axis] = static_cast<hsize_t>(row);
      extent[axis] = static_cast<hsize_t>(rows);
      for (std::size_t k = axis + 1; k < shape().size(); ++k) {
        start[k] = 0;
        extent[k] = static_cast<hsize_t>(shape()[k]);
      }
      box(start, extent, rows * inner, out, type);
      out += rows * inner;
      row += rows;
    }
    if (end > row * inner) below(row, 0, end - row * inner);
  }

  void box(const std::vector<hsize_t>& start, const std::vector<hsize_t>& extent, std::int64_t count, void* out,
           hid_t type) const {
    const hsize_t size = static_cast<hsize_t>(count);
    const Hdf5Id space(H5Dget_space(*dataset_), H5Sclose), memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const bool read = H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) >= 0 &&
                      H5Dread(*dataset_, type, memory, space, H5P_DEFAULT, out) >= 0;
    PAIRS_CHECK(read, "{} cannot be read: {}; write the file again", where(), hdf5_reason());
  }

  std::shared_ptr<const Hdf5Id> file_, dataset_;
  bool integers_;
};

// How a little-endian type stands in a file that is read in place; false where the library has to convert it.
bool plain_number(hid_t type, StoredNumber& number) {
  const std::pair<hid_t, StoredNumber> kPlain[] = {
      {H5T_IEEE_F32LE, StoredNumber::f4}, {H5T_IEEE_F64LE, StoredNumber::f8}, {H5T_STD_I8LE, StoredNumber::i1},
      {H5T_STD_I16LE, StoredNumber::i2},  {H5T_STD_I32LE, StoredNumber::i4},  {H5T_STD_I64LE, StoredNumber::i8},
      {H5T_STD_U8LE, StoredNumber::u1},   {H5T_STD_U16LE, StoredNumber::u2},  {H5T_STD_U32LE, StoredNumber::u4},
      {H5T_STD_U64LE, StoredNumber::u8}};
  for (const auto& [plain, one] : kPlain)
    if (H5Tequal(type, plain) > 0) {
      number = one;
      return true;
    }
  return false;
}

class Hdf5Arrays final : public ArrayFile {
 public:
  explicit Hdf5Arrays(std::shared_ptr<const StoredFile> file) : file_(std::move(file)) {
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    H5PLset_loading_state(0);  // a file must not name code that is then loaded
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);  // files on shared disks, and those that others may not write
    hdf5_ = std::make_shared<Hdf5Id>(H5Fopen(file_->path().c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    PAIRS_CHECK(*hdf5_ >= 0, "{} is damaged, cut short or not a HDF5 file ({}); write it again", file_->name(),
                hdf5_reason());
    H5Ovisit1(
        *hdf5_, H5_INDEX_NAME, H5_ITER_NATIVE,
        [](hid_t, const char* name, const H5O_info_t* info, void* out) -> herr_t {
          if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
          return 0;
        },
        &names_);
  }
  std::vector<std::string> names() const override { return names_; }

  std::unique_ptr<StoredArray> array(const std::string& name) const override {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) return nullptr;
    const std::string where = fmt::format("{}: array '{}'", file_->name(), printable(name));
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    const auto dataset = std::make_shared<Hdf5Id>(H5Dopen2(*hdf5_, name.c_str(), H5P_DEFAULT), H5Dclose);
    PAIRS_CHECK(*dataset >= 0, "{} cannot be opened: {}; write the file again", where, hdf5_reason());
    const Hdf5Id type(H5Dget_type(*dataset), H5Tclose), space(H5Dget_space(*dataset), H5Sclose),
        created(H5Dget_create_plist(*dataset), H5Pclose);
    const H5T_class_t kind = H5Tget_class(type);
    PAIRS_CHECK(kind == H5T_INTEGER || kind == H5T_FLOAT, "{} holds no numbers; save it as float32, float64 or int64",
                where);
    const int rank = H5Sget_simple_extent_ndims(space);
    PAIRS_CHECK(rank >= 1, "{} is a single number where an array is needed", where);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    std::vector<std::int64_t> shape(extents.begin(), extents.end());
    StoredNumber number;
    const haddr_t offset = H5Dget_offset(*dataset);
    if (H5Pget_layout(created) == H5D_CONTIGUOUS && H5Pget_external_count(created) == 0 && offset != HADDR_UNDEF &&
        plain_number(type, number))
      return raw_array(file_, offset, number, std::move(shape), where);
    check_chunks(created, type, rank, where);
    return std::make_unique<Hdf5Array>(hdf5_, dataset, kind == H5T_INTEGER, std::move(shape), where);
  }

 private:
  // A chunk is unpacked whole, whatever is read of it.
  static void check_chunks(hid_t created, hid_t type, int rank, const std::string& where) {
    if (H5Pget_layout(created) != H5D_CHUNKED) return;
    std::vector<hsize_t> chunk(static_cast<std::size_t>(rank));
    H5Pget_chunk(created, rank, chunk.data());
    const double bytes =
        std::accumulate(chunk.begin(), chunk.end(), static_cast<double>(H5Tget_size(type)),
                        [](double product, hsize_t extent) { return product * static_cast<double>(extent); });
    constexpr double kMost = 64 << 20;
    PAIRS_CHECK(bytes <= kMost,
                "{} has chunks of {}, of which each is unpacked whole; write it in chunks of a few sets, or without "
                "chunks",
                where, byte_text(static_cast<std::uint64_t>(bytes)));
  }

  std::shared_ptr<const StoredFile> file_;
  std::shared_ptr<const Hdf5Id> hdf5_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file) {
  return std::make_unique<Hdf5Arrays>(std::move(file));
}

}  // namespace pairs

#else

namespace pairs {

std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file) {
  fail_usage(
      "{} is a HDF5 file, which this build does not read: install libhdf5-dev and configure it with -DPAIRS_HDF5=ON, "
      "or "
      "save the arrays with numpy.savez",
      file->name());
}

}  // namespace pairs

#endif
