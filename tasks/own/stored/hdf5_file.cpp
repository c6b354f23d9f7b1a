#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/stored/stored_array.h"
#include "tasks/parts/hdf5_lock.h"

#if PAIRS_WITH_HDF5
#define H5_USE_110_API  // later versions keep the names of this one
#include <hdf5.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>

namespace pairs {
namespace {

namespace fs = std::filesystem;

// The deepest nesting of virtual data sets.
constexpr int kMostSourcesDeep = 4;

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

// The library's reason for its last failure, "" if it gives none.
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

// Suppresses the library's own messages.
void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// The type of a data set's numbers: h5py's booleans are an enumeration of FALSE and TRUE, PyTables' are bits.
struct Hdf5Kind {
  bool numbers = false, integers = false, wide = false, bits = false;
};

// Whether an enumeration names 0 FALSE and 1 TRUE.
bool is_truth(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  const Hdf5Id base(H5Tget_super(type), H5Tclose);
  if (H5Tget_class(base) != H5T_INTEGER || H5Tget_size(base) > 8) return false;
  for (unsigned k = 0; k < 2; ++k) {
    char* const text = H5Tget_member_name(type, k);
    std::string name = text != nullptr ? text : "";
    H5free_memory(text);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::int64_t value = 0;
    if (H5Tget_member_value(type, k, &value) < 0 || H5Tconvert(base, H5T_NATIVE_INT64, 1, &value, nullptr, 0) < 0)
      return false;
    if (name != (value == 1 ? "true" : "false") || value < 0 || value > 1) return false;
  }
  return true;
}

Hdf5Kind kind_of(hid_t type) {
  const std::size_t precision = H5Tget_precision(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return {.numbers = true, .integers = true, .wide = precision > 24};
    case H5T_FLOAT:
      return {.numbers = true, .wide = precision > 32};
    case H5T_ENUM:
      return {.numbers = is_truth(type), .integers = true};
    case H5T_BITFIELD:
      return {.numbers = H5Tget_size(type) == 1, .integers = true, .bits = true};
    default:
      return {};
  }
}

// "with lzf": the filters of a data set that this build lacks; "" if it has all.
std::string missing_filters(hid_t dataset) {
  const std::map<H5Z_filter_t, const char*> known = {
      {4, "szip"},           {305, "LZO"},   {307, "bzip2"},  {32000, "lzf"}, {32001, "blosc"}, {32004, "lz4"},
      {32008, "bitshuffle"}, {32013, "zfp"}, {32015, "zstd"}, {32017, "SZ"},  {32026, "blosc2"}};
  const Hdf5Id created(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<std::string> names;
  for (int k = 0; k < H5Pget_nfilters(created); ++k) {
    unsigned flags = 0, settings = 0;
    std::size_t values = 0;
    char name[100] = "";
    const H5Z_filter_t filter =
        H5Pget_filter2(created, static_cast<unsigned>(k), &flags, &values, nullptr, sizeof name, name, &settings);
    if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
    const auto found = known.find(filter);
    names.push_back(found != known.end() ? found->second
                    : *name != 0         ? printable(name, 100)
                                         : fmt::format("filter {}", filter));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

[[noreturn]] void fail_to_read(hid_t dataset, const std::string& where) {
  const std::string reason = hdf5_reason(), missing = missing_filters(dataset);
  if (missing.empty()) fail("{} cannot be read: {}; write the file again", where, reason);
  fail(
      "{} is compressed with {}, which is not read here; write it with gzip (h5py: compression='gzip', PyTables and "
      "pandas: complib='zlib')",
      where, missing);
}

// A data set that the library unpacks, converts or gathers.
class Hdf5Array final : public StoredArray {
 public:
  // `field`: the field of a compound data set that is read; `in_field`: how many numbers a row of it holds as an array,
  // 0 if it is one number.
  Hdf5Array(std::shared_ptr<const Hdf5Id> file, std::shared_ptr<const Hdf5Id> dataset, Hdf5Kind kind,
            std::vector<std::int64_t> shape, std::string where, std::string field, std::int64_t in_field)
      : StoredArray(std::move(shape), std::move(where)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        field_(std::move(field)),
        in_field_(in_field),
        kind_(kind) {}
  bool exceeds_float32() const override { return kind_.wide; }
  bool integers() const override { return kind_.integers; }
  void read(std::int64_t first, std::int64_t count, float* out) const override {
    all(first, count, out, H5T_NATIVE_FLOAT);
  }
  void read(std::int64_t first, std::int64_t count, double* out) const override {
    all(first, count, out, H5T_NATIVE_DOUBLE);
  }
  void read(std::int64_t first, std::int64_t count, std::int64_t* out) const override {
    PAIRS_CHECK(kind_.integers, "{} holds floating-point numbers where whole ones are needed; save it as int64",
                where());
    all(first, count, out, H5T_NATIVE_INT64);
  }

 private:
  template <class Number>
  void all(std::int64_t first, std::int64_t count, Number* out, hid_t type) const {
    if (count == 0) return;
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    if (!kind_.bits) return numbers(first, count, out, type);
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(count));
    numbers(first, count, bits.data(), H5T_NATIVE_B8);
    std::transform(bits.begin(), bits.end(), out, [](std::uint8_t one) { return static_cast<Number>(one != 0); });
  }

  template <class Number>
  void numbers(std::int64_t first, std::int64_t count, Number* out, hid_t type) const {
    if (in_field_ > 0) return rows_of_field(first, count, out, type);
    std::vector<hsize_t> start(shape().size(), 0), extent(shape().size(), 1);
    if (field_.empty()) return part(0, first, count, start, extent, out, type);
    const Hdf5Id one(H5Tcreate(H5T_COMPOUND, sizeof(Number)), H5Tclose);
    H5Tinsert(one, field_.c_str(), 0, type);
    part(0, first, count, start, extent, out, one);
  }

  // Reads whole rows of a field that is an array in each row.
  template <class Number>
  void rows_of_field(std::int64_t first, std::int64_t count, Number* out, hid_t type) const {
    const auto wide = static_cast<hsize_t>(in_field_);
    const hsize_t row = static_cast<hsize_t>(first / in_field_),
                  rows = static_cast<hsize_t>((first + count + in_field_ - 1) / in_field_) - row;
    const Hdf5Id array(H5Tarray_create2(type, 1, &wide), H5Tclose),
        one(H5Tcreate(H5T_COMPOUND, sizeof(Number) * wide), H5Tclose);
    H5Tinsert(one, field_.c_str(), 0, array);
    std::vector<Number> whole(rows * wide);
    box({row}, {rows}, static_cast<std::int64_t>(rows), whole.data(), one);
    std::copy_n(whole.data() + first % in_field_, count, out);
  }

  // Reads numbers first .. first + count - 1 of the range spanned by the axes from `axis` on, with few boxes.
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
    if (!read) fail_to_read(*dataset_, where());
  }

  std::shared_ptr<const Hdf5Id> file_, dataset_;
  std::string field_;
  std::int64_t in_field_;
  Hdf5Kind kind_;
};

// The storage format of a little-endian type in a file that is read in place; false if the library has to convert it.
bool plain_number(hid_t type, StoredNumber& number) {
  if (H5Tget_class(type) == H5T_ENUM) return plain_number(Hdf5Id(H5Tget_super(type), H5Tclose), number);
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

// The numbers of a data set's attribute, at most 16; none if there is no such attribute.
std::vector<double> attribute_numbers(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return {};
  const Hdf5Id one(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Id type(H5Aget_type(one), H5Tclose), space(H5Aget_space(one), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > 16) return {};
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (H5Aread(one, H5T_NATIVE_DOUBLE, numbers.data()) < 0) return {};
  return numbers;
}

// How numbers are packed by the conventions of netCDF: x = scale_factor p + add_offset, and the values of p that mark
// missing values.
struct Packing {
  double scale = 1, offset = 0;
  std::vector<double> missing;
  bool packs() const { return scale != 1 || offset != 0; }
};
Packing packing_of(hid_t dataset) {
  Packing out;
  if (const auto one = attribute_numbers(dataset, "scale_factor"); one.size() == 1) out.scale = one.front();
  if (const auto one = attribute_numbers(dataset, "add_offset"); one.size() == 1) out.offset = one.front();
  for (const char* name : {"_FillValue", "missing_value"})
    for (const double number : attribute_numbers(dataset, name))
      if (!std::isnan(number)) out.missing.push_back(number);
  return out;
}

// An array with packed numbers or markers of missing values, which are read as NaN.
class PackedArray final : public StoredArray {
 public:
  PackedArray(std::unique_ptr<StoredArray> packed, Packing packing)
      : StoredArray(packed->shape(), packed->where()), packed_(std::move(packed)), packing_(std::move(packing)) {}
  bool exceeds_float32() const override { return packing_.packs() || packed_->exceeds_float32(); }
  bool integers() const override { return false; }
  void read(std::int64_t first, std::int64_t count, float* out) const override {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    read(first, count, numbers.data());
    std::transform(numbers.begin(), numbers.end(), out, [](double one) { return static_cast<float>(one); });
  }
  void read(std::int64_t first, std::int64_t count, double* out) const override {
    packed_->read(first, count, out);
    for (std::int64_t k = 0; k < count; ++k) {
      const bool missing =
          std::find(packing_.missing.begin(), packing_.missing.end(), out[k]) != packing_.missing.end();
      out[k] = missing ? std::numeric_limits<double>::quiet_NaN() : packing_.scale * out[k] + packing_.offset;
    }
  }
  void read(std::int64_t, std::int64_t, std::int64_t*) const override {
    fail(
        "{} is packed or marks missing values (attributes scale_factor, add_offset, _FillValue), where whole numbers "
        "are needed; save it without",
        where());
  }

 private:
  std::unique_ptr<StoredArray> packed_;
  Packing packing_;
};

// Identifies the file that holds an object.
unsigned long file_number(hid_t object) {
  H5O_info_t info{};
  return H5Oget_info1(object, &info) >= 0 ? info.fileno : 0;
}

// Properties for opening a data set: links to other files lead nowhere, and sources of virtual data sets are searched
// in the folder of the file that names them.
class Hdf5Access {
 public:
  Hdf5Access() : links_(H5Pcreate(H5P_LINK_ACCESS), H5Pclose), dataset_(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose) {
    for (const hid_t list : {static_cast<hid_t>(links_), static_cast<hid_t>(dataset_)})
      H5Pset_elink_cb(
          list,
          [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) -> herr_t { return -1; },
          nullptr);
    H5Pset_virtual_prefix(dataset_, "${ORIGIN}");
  }
  hid_t links() const { return links_; }
  hid_t dataset() const { return dataset_; }

 private:
  Hdf5Id links_, dataset_;
};

class Hdf5Arrays final : public ArrayFile, public std::enable_shared_from_this<Hdf5Arrays> {
 public:
  Hdf5Arrays(std::shared_ptr<const StoredFile> file, fs::path folder, int depth)
      : file_(std::move(file)), folder_(std::move(folder)), depth_(depth) {
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    H5PLset_loading_state(0);  // a file must not name code that is then loaded
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);  // for files on shared disks, and files without write permission
    hdf5_ = std::make_shared<Hdf5Id>(H5Fopen(file_->path().c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    PAIRS_CHECK(*hdf5_ >= 0, "{} is damaged, cut short or not a HDF5 file ({}); write it again", file_->name(),
                hdf5_reason());
    H5Lvisit(
        *hdf5_, H5_INDEX_NAME, H5_ITER_NATIVE,
        [](hid_t root, const char* name, const H5L_info_t* link, void* out) -> herr_t {
          auto& self = *static_cast<Hdf5Arrays*>(out);
          if (link->type == H5L_TYPE_HARD) {
            H5O_info_t info{};
            if (H5Oget_info_by_name1(root, name, &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_DATASET)
              self.names_.emplace_back(name);
          } else {
            self.links_.emplace_back(name);
          }
          return 0;
        },
        this);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> out = names_;
    out.insert(out.end(), links_.begin(), links_.end());
    return out;
  }
  std::vector<std::shared_ptr<const StoredFile>> sources() const override { return sources_; }

  std::unique_ptr<StoredArray> array(const std::string& name) const override { return array(name, ""); }

  // Everything that holds numbers along one or two axes, or something else along one.
  std::vector<StoredColumn> columns() const {
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    std::vector<StoredColumn> out;
    for (const std::string& name : names()) {
      if (name.starts_with("_i_") || name.find("/_i_") != name.npos) continue;  // an index of PyTables
      const Hdf5Access access;
      const bool link = std::find(links_.begin(), links_.end(), name) != links_.end();
      if (link && H5Oexists_by_name(*hdf5_, name.c_str(), access.links()) <= 0) continue;
      const Hdf5Id dataset(H5Dopen2(*hdf5_, name.c_str(), access.dataset()), H5Dclose);
      if (dataset < 0 && link) continue;  // leads to a group
      if (dataset < 0) {
        out.push_back({name, "nothing that can be opened", {-1}});
        continue;
      }
      const Hdf5Id type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
      const H5T_class_t kind = H5Tget_class(type);
      const int rank = H5Sget_simple_extent_ndims(space);
      if (rank != 1 && rank != 2) continue;
      hsize_t extents[2] = {0, 0};
      H5Sget_simple_extent_dims(space, extents, nullptr);
      const std::vector<std::int64_t> shape(extents, extents + rank);
      if (kind == H5T_COMPOUND && rank == 1)
        for (int k = 0; k < H5Tget_nmembers(type); ++k) add_field(name, type, static_cast<unsigned>(k), shape[0], out);
      else if (kind_of(type).numbers)
        out.push_back({name, "", shape, false, opener(name, "")});
      else if (rank == 1)
        out.push_back({name, other_of(kind), shape, false, {}, texts_of(kind, name, "")});
    }
    return out;
  }

  // See StoredColumns::numbers.
  std::vector<std::string> names_of_numbers(const StoredColumn& column) const {
    if (column.shape.size() != 2 || column.field) return {};
    const auto width = static_cast<std::size_t>(column.shape[1]);
    for (const char* called : {"columns", "column_names", "names"}) {
      if (std::vector<std::string> names = texts_attribute(column.name, called); names.size() == width) return names;
      std::vector<std::string> parts;
      for (std::string_view text = attribute(column.name, called); !text.empty();) {
        const std::size_t end = std::min(text.find(','), text.size());
        parts.emplace_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
      if (parts.size() == width) return parts;
    }
    const std::string scale = scale_of(column.name);
    for (const std::string& name : names_)
      if (name == scale && extent_of_texts(name) == width) {
        std::vector<std::string> names;
        texts_of(H5T_STRING, name, "")(0, column.shape[1], names);
        return names;
      }
    return {};
  }

  std::string attribute(const std::string& object, const std::string& name) const {
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    const char* const place = object.empty() ? "/" : object.c_str();
    if (H5Aexists_by_name(*hdf5_, place, name.c_str(), H5P_DEFAULT) <= 0) return "";
    const Hdf5Id one(H5Aopen_by_name(*hdf5_, place, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Hdf5Id type(H5Aget_type(one), H5Tclose), space(H5Aget_space(one), H5Sclose);
    constexpr std::size_t kMost = 1 << 20;
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return "";
    std::string text;
    if (H5Tis_variable_str(type) > 0) {
      char* held = nullptr;
      if (H5Aread(one, type, &held) >= 0 && held != nullptr) text = held;
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, &held);
    } else if (const std::size_t length = H5Tget_size(type); length <= kMost) {
      text.resize(length);
      if (H5Aread(one, type, text.data()) < 0) text.clear();
      text.resize(text.find_last_not_of('\0') + 1);
    }
    return text;
  }

 private:
  // An attribute that is a list of texts; empty for others.
  std::vector<std::string> texts_attribute(const std::string& object, const char* name) const {
    constexpr hssize_t kMost = 1 << 14;
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    if (H5Aexists_by_name(*hdf5_, object.c_str(), name, H5P_DEFAULT) <= 0) return {};
    const Hdf5Id one(H5Aopen_by_name(*hdf5_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Hdf5Id type(H5Aget_type(one), H5Tclose), space(H5Aget_space(one), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const std::size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) != 1 || count < 1 || count > kMost ||
        length > 1024)
      return {};
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> held(static_cast<std::size_t>(count), nullptr);
      if (H5Aread(one, type, held.data()) >= 0)
        for (const char* text : held) texts.emplace_back(text != nullptr ? text : "");
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, held.data());
      return texts;
    }
    std::string bytes(length * static_cast<std::size_t>(count), '\0');
    if (H5Aread(one, type, bytes.data()) < 0) return {};
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      std::string text = bytes.substr(k * length, length);
      text.resize(std::min(text.find('\0'), text.size()));
      texts.emplace_back(trimmed(text));
    }
    return texts;
  }

  // The name of the first scale along the second axis of a data set; "" if it has none.
  std::string scale_of(const std::string& object) const {
    constexpr const char* kList = "DIMENSION_LIST";
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    if (H5Aexists_by_name(*hdf5_, object.c_str(), kList, H5P_DEFAULT) <= 0) return "";
    const Hdf5Id one(H5Aopen_by_name(*hdf5_, object.c_str(), kList, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Hdf5Id type(H5Aget_type(one), H5Tclose), space(H5Aget_space(one), H5Sclose);
    if (H5Tget_class(type) != H5T_VLEN || H5Sget_simple_extent_npoints(space) != 2) return "";
    const Hdf5Id each(H5Tget_super(type), H5Tclose);
    if (H5Tequal(each, H5T_STD_REF_OBJ) <= 0) return "";
    hvl_t lists[2] = {};
    std::string name;
    if (H5Aread(one, type, lists) >= 0 && lists[1].len > 0) {
      const Hdf5Id scale(H5Rdereference2(*hdf5_, H5P_DEFAULT, H5R_OBJECT, lists[1].p), H5Oclose);
      char text[1024] = "";
      if (scale >= 0 && H5Iget_name(scale, text, sizeof text) > 0) name = text;
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    return name.starts_with('/') ? name.substr(1) : name;
  }

  // How many texts a data set along one axis holds; 0 for others.
  std::size_t extent_of_texts(const std::string& name) const {
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    const Hdf5Access access;
    const Hdf5Id dataset(H5Dopen2(*hdf5_, name.c_str(), access.dataset()), H5Dclose);
    if (dataset < 0) return 0;
    const Hdf5Id type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) != 1) return 0;
    return static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  }

  static std::string other_of(H5T_class_t kind) {
    return kind == H5T_STRING ? "text"
           : kind == H5T_ENUM ? "named values (an enumeration)"
           : kind == H5T_VLEN ? "lists of any length"
                              : "values of another kind";
  }

  std::function<std::unique_ptr<StoredArray>()> opener(const std::string& name, const std::string& field) const {
    return [self = shared_from_this(), name, field] { return self->array(name, field); };
  }

  // Reads an array of text, of fixed or variable length, or a field of a table.
  std::function<void(std::int64_t, std::int64_t, std::vector<std::string>&)> texts_of(H5T_class_t kind,
                                                                                      const std::string& name,
                                                                                      const std::string& field) const {
    if (kind != H5T_STRING) return {};
    const std::string where =
        fmt::format("{}: array '{}'", file_->name(), printable(field.empty() ? name : name + "/" + field));
    return [self = shared_from_this(), name, field, where](std::int64_t first, std::int64_t count,
                                                           std::vector<std::string>& out) {
      const std::lock_guard guard(hdf5_lock());
      silence_hdf5();
      const Hdf5Access access;
      const Hdf5Id dataset(H5Dopen2(*self->hdf5_, name.c_str(), access.dataset()), H5Dclose);
      PAIRS_CHECK(dataset >= 0, "{} cannot be opened: {}; write the file again", where, hdf5_reason());
      const Hdf5Id whole(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose),
          type(type_of(whole, field), H5Tclose);
      const std::size_t length = H5Tget_size(type);
      const Hdf5Id memory_type(field.empty() ? H5Tcopy(type) : H5Tcreate(H5T_COMPOUND, length), H5Tclose);
      if (!field.empty()) H5Tinsert(memory_type, field.c_str(), 0, type);
      const hsize_t start = static_cast<hsize_t>(first), size = static_cast<hsize_t>(count);
      const Hdf5Id memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
      bool read = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &size, nullptr) >= 0;
      if (H5Tis_variable_str(type) > 0) {
        std::vector<char*> texts(static_cast<std::size_t>(count), nullptr);
        read = read && H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, texts.data()) >= 0;
        for (const char* text : texts) out.emplace_back(text != nullptr ? text : "");
        H5Dvlen_reclaim(memory_type, memory, H5P_DEFAULT, texts.data());
      } else {
        std::string bytes(length * static_cast<std::size_t>(count), '\0');
        read = read && H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, bytes.data()) >= 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
          std::string text = bytes.substr(i * length, length);
          text.resize(std::min(text.find('\0'), text.size()));
          if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
          out.push_back(std::move(text));
        }
      }
      if (!read) fail_to_read(dataset, where);
    };
  }

  // The type of a data set's values, or of a field of them; the caller closes it.
  static hid_t type_of(hid_t whole, const std::string& field) {
    if (field.empty()) return H5Tcopy(whole);
    return H5Tget_member_type(whole, static_cast<unsigned>(H5Tget_member_index(whole, field.c_str())));
  }
  // How many numbers a field holds as an array along one axis, or 0 if it is not one.
  static std::int64_t array_length(hid_t type) {
    hsize_t length = 0;
    if (H5Tget_class(type) != H5T_ARRAY || H5Tget_array_ndims(type) != 1) return 0;
    H5Tget_array_dims2(type, &length);
    return static_cast<std::int64_t>(length);
  }

  void add_field(const std::string& name, hid_t whole, unsigned member, std::int64_t rows,
                 std::vector<StoredColumn>& out) const {
    char* const text = H5Tget_member_name(whole, member);
    const std::string field = text != nullptr ? text : "";
    H5free_memory(text);
    const Hdf5Id type(H5Tget_member_type(whole, member), H5Tclose);
    const std::int64_t length = array_length(type);
    const Hdf5Id each(length > 0 ? H5Tget_super(type) : H5Tcopy(type), H5Tclose);
    StoredColumn column{name + "/" + field, "", {rows}, true};
    if (length > 0) column.shape.push_back(length);
    if (kind_of(each).numbers) {
      column.open = opener(name, field);
    } else {
      column.other = other_of(H5Tget_class(type));
      if (length == 0) column.texts = texts_of(H5Tget_class(type), name, field);
    }
    out.push_back(std::move(column));
  }

  // `field`: the field of a compound data set; "" for other data sets.
  std::unique_ptr<StoredArray> array(const std::string& name, const std::string& field) const {
    const auto holds = [&name](const auto& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
    if (!holds(names_) && !holds(links_)) return nullptr;
    const std::string where = fmt::format("{}: array '{}'", file_->name(), printable(name));
    const std::lock_guard guard(hdf5_lock());
    silence_hdf5();
    const Hdf5Access access;
    PAIRS_CHECK(holds(names_) || H5Oexists_by_name(*hdf5_, name.c_str(), access.links()) > 0,
                "{} is a link that leads nowhere or to another file, which is not followed; name that file in "
                "[simulations] files, or save the array itself",
                where);
    const auto dataset = std::make_shared<Hdf5Id>(H5Dopen2(*hdf5_, name.c_str(), access.dataset()), H5Dclose);
    PAIRS_CHECK(*dataset >= 0, "{} cannot be opened: {}; write the file again", where, hdf5_reason());
    PAIRS_CHECK(file_number(*dataset) == file_number(*hdf5_),
                "{} lies in another file, to which a link leads; name that file in [simulations] files", where);
    const Hdf5Id whole(H5Dget_type(*dataset), H5Tclose), space(H5Dget_space(*dataset), H5Sclose),
        created(H5Dget_create_plist(*dataset), H5Pclose);
    const Hdf5Id held(type_of(whole, field), H5Tclose);
    const std::int64_t in_field = field.empty() ? 0 : array_length(held);
    const Hdf5Id type(in_field > 0 ? H5Tget_super(held) : H5Tcopy(held), H5Tclose);
    const Hdf5Kind kind = kind_of(type);
    PAIRS_CHECK(kind.numbers, "{} holds no numbers; save it as float32, float64 or int64", where);
    const int rank = H5Sget_simple_extent_ndims(space);
    PAIRS_CHECK(rank >= 1, "{} is a single number where an array is needed", where);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    PAIRS_CHECK(H5Pget_external_count(created) == 0,
                "{} keeps its numbers in other files (external storage), which are not read; write them into the file "
                "itself",
                where);
    const H5D_layout_t layout = H5Pget_layout(created);
    if (layout == H5D_VIRTUAL)
      check_sources(created, space, where);
    else
      check_written(*dataset, created, layout, extents, where);
    std::vector<std::int64_t> shape(extents.begin(), extents.end());
    StoredNumber number;
    const haddr_t offset = H5Dget_offset(*dataset);
    if (field.empty() && layout == H5D_CONTIGUOUS && offset != HADDR_UNDEF && plain_number(type, number))
      return unpacked(raw_array(file_, offset, number, std::move(shape), where), *dataset);
    if (layout == H5D_CHUNKED) check_chunks(created, whole, rank, where);
    if (in_field > 0) shape.push_back(in_field);
    return unpacked(std::make_unique<Hdf5Array>(hdf5_, dataset, kind, std::move(shape), where, field, in_field),
                    *dataset);
  }

  static std::unique_ptr<StoredArray> unpacked(std::unique_ptr<StoredArray> array, hid_t dataset) {
    Packing packing = packing_of(dataset);
    if (!packing.packs() && packing.missing.empty()) return array;
    return std::make_unique<PackedArray>(std::move(array), std::move(packing));
  }

  // A chunk is always unpacked as a whole.
  static void check_chunks(hid_t created, hid_t type, int rank, const std::string& where) {
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

  // Values that were never written would be read as fill values.
  static void check_written(hid_t dataset, hid_t created, H5D_layout_t layout, const std::vector<hsize_t>& extents,
                            const std::string& where) {
    if (std::find(extents.begin(), extents.end(), hsize_t{0}) != extents.end()) return;
    if (layout != H5D_CHUNKED) {
      H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
      PAIRS_CHECK(H5Dget_space_status(dataset, &status) >= 0 && status == H5D_SPACE_STATUS_ALLOCATED,
                  "{} was made but never written, and would be read as fill values; write it", where);
      return;
    }
    std::vector<hsize_t> chunk(extents.size());
    H5Pget_chunk(created, static_cast<int>(extents.size()), chunk.data());
    double wanted = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      PAIRS_CHECK(chunk[k] > 0, "{} is damaged; write the file again", where);
      wanted *= static_cast<double>((extents[k] + chunk[k] - 1) / chunk[k]);
    }
    hsize_t written = 0;
    const Hdf5Id all(H5Dget_space(dataset), H5Sclose);
    PAIRS_CHECK(H5Dget_num_chunks(dataset, all, &written) >= 0, "{} cannot be read: {}; write the file again", where,
                hdf5_reason());
    PAIRS_CHECK(
        static_cast<double>(written) >= wanted,
        "{}: of its {:.0f} chunks only {} were written, and the others would be read as fill values; write them", where,
        wanted, written);
  }

  // Checks that the sources of a virtual data set provide every number of it.
  void check_sources(hid_t created, hid_t space, const std::string& where) const {
    std::size_t count = 0;
    PAIRS_CHECK(H5Pget_virtual_count(created, &count) >= 0 && count > 0,
                "{} is virtual and names no sources; write it again", where);
    const Hdf5Id mapped(H5Scopy(space), H5Sclose);
    H5Sselect_none(mapped);
    for (std::size_t i = 0; i < count; ++i) {
      const Hdf5Id part(H5Pget_virtual_vspace(created, i), H5Sclose),
          from(H5Pget_virtual_srcspace(created, i), H5Sclose);
      std::string dataset = text_of(H5Pget_virtual_dsetname, created, i);
      dataset.erase(0, dataset.find_first_not_of('/'));
      check_source(text_of(H5Pget_virtual_filename, created, i), dataset, {from, H5Sget_select_npoints(part)}, where);
      PAIRS_CHECK(H5Sget_select_npoints(part) >= 0,
                  "{} is virtual without an end; write it with the extents of its sources", where);
      const bool whole = H5Sget_select_type(part) == H5S_SEL_ALL;
      const bool joined = whole ? H5Sselect_all(mapped) >= 0
                          : H5Sget_select_type(mapped) == H5S_SEL_NONE
                              ? H5Sselect_copy(mapped, part) >= 0
                              : H5Smodify_select(mapped, H5S_SELECT_OR, part) >= 0;
      PAIRS_CHECK(joined, "{} is virtual in a way that cannot be followed ({}); write it plainly", where,
                  hdf5_reason());
      if (whole) break;
    }
    const hssize_t held = H5Sget_select_npoints(mapped), all = H5Sget_simple_extent_npoints(space);
    PAIRS_CHECK(
        held == all,
        "{} is virtual, and its sources hold {} of its {} numbers: the others would be read as fill values; name "
        "sources of all",
        where, held, all);
  }

  template <class Get>
  static std::string text_of(Get get, hid_t created, std::size_t i) {
    const ssize_t length = get(created, i, nullptr, 0);
    if (length <= 0) return "";
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    get(created, i, text.data(), text.size());
    text.pop_back();
    return text;
  }

  // What a part of a virtual data set takes from its source: a selection, and its count of numbers.
  struct Taken {
    hid_t from;
    hssize_t numbers;
  };

  void check_source(const std::string& named, const std::string& dataset, const Taken& taken,
                    const std::string& where) const {
    PAIRS_CHECK(depth_ + within_ < kMostSourcesDeep,
                "{} is virtual over more than {} data sets in a row; write it plainly", where, kMostSourcesDeep);
    if (named == ".") {
      struct Within {
        int& depth;
        explicit Within(int& one) : depth(one) { ++depth; }
        ~Within() { --depth; }
      } const here(within_);
      check_bounds(array(dataset), taken, where, printable(dataset));
      return;
    }
    const std::string shown = printable(named, 300);
    PAIRS_CHECK(named.find('%') == std::string::npos,
                "{} is virtual with the pattern {} for its sources; write it with their names", where, shown);
    std::error_code error;
    const fs::path extra = fs::absolute(file_->path()).parent_path();
    const fs::path path = fs::path(named).is_absolute() ? fs::path(named) : extra / named;
    const fs::path real = fs::canonical(path, error);
    PAIRS_CHECK(!error,
                "{} is virtual, and its source {} cannot be opened ({}): it would be read as fill values; restore "
                "it",
                where, shown, error.message());
    const fs::path below = real.lexically_relative(fs::canonical(folder_, error));
    PAIRS_CHECK(
        !error && !below.empty() && *below.begin() != "..",
        "{} is virtual, and its source {} lies outside the task's folder; move it there, or write the numbers into "
        "the file itself",
        where, shown);
    auto& kept = opened_[real];
    if (kept == nullptr) {
      auto source = std::make_shared<const StoredFile>(real, printable(below.string(), 300));
      kept = std::make_unique<Hdf5Arrays>(source, folder_, depth_ + within_ + 1);
      sources_.push_back(std::move(source));
    }
    check_bounds(kept->array(dataset), taken, where, shown + ": " + printable(dataset));
    for (const auto& further : kept->sources())
      if (std::find(sources_.begin(), sources_.end(), further) == sources_.end()) sources_.push_back(further);
  }

  static void check_bounds(const std::unique_ptr<StoredArray>& source, const Taken& taken, const std::string& where,
                           const std::string& shown) {
    PAIRS_CHECK(source != nullptr,
                "{} is virtual, and its source {} holds no such data set: it would be read as fill "
                "values; restore it",
                where, shown);
    const hid_t from = taken.from;
    std::vector<hsize_t> first(H5S_MAX_RANK), last(H5S_MAX_RANK);
    // A file does not store the extents with a selection of all.
    const bool whole = H5Sget_select_type(from) == H5S_SEL_ALL;
    const int rank = H5Sget_simple_extent_ndims(from);
    bool inside = whole ? source->count() == taken.numbers
                        : rank == static_cast<int>(source->shape().size()) &&
                              H5Sget_select_bounds(from, first.data(), last.data()) >= 0;
    for (int k = 0; inside && !whole && k < rank; ++k)
      inside = last[static_cast<std::size_t>(k)] < static_cast<hsize_t>(source->shape()[static_cast<std::size_t>(k)]);
    PAIRS_CHECK(inside,
                "{} is virtual, and its source {} has shape [{}], which does not hold what is asked of it: the "
                "rest would be read as fill values; restore it",
                where, shown, fmt::join(source->shape(), ", "));
  }

  std::shared_ptr<const StoredFile> file_;
  fs::path folder_;
  int depth_;
  std::shared_ptr<const Hdf5Id> hdf5_;
  std::vector<std::string> names_, links_;
  // Files opened for virtual data sets.
  mutable std::map<fs::path, std::unique_ptr<Hdf5Arrays>> opened_;
  mutable std::vector<std::shared_ptr<const StoredFile>> sources_;
  mutable int within_ = 0;  // virtual data sets of this file that are being followed
};

}  // namespace

std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder) {
  return std::make_unique<Hdf5Arrays>(std::move(file), folder, 0);
}

StoredColumns hdf5_columns(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder) {
  const auto arrays = std::make_shared<const Hdf5Arrays>(std::move(file), folder, 0);
  return {arrays->columns(),
          [arrays](const std::string& object, const std::string& attribute) {
            return arrays->attribute(object, attribute);
          },
          [arrays](const StoredColumn& column) { return arrays->names_of_numbers(column); }};
}

}  // namespace pairs

#else

namespace pairs {

std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file, const std::filesystem::path&) {
  fail_usage(
      "{} is a HDF5 file, which this build does not read: install libhdf5-dev and configure it with -DPAIRS_HDF5=ON, "
      "or save the arrays with numpy.savez",
      file->name());
}

StoredColumns hdf5_columns(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder) {
  hdf5_arrays(std::move(file), folder);
  return {};
}

}  // namespace pairs

#endif
