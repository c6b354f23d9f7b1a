#include "tasks/own/stored/stored_array.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/base/npy.h"
#include "core/base/shape_bytes.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::int64_t kNumbersAtOnce = 1 << 16;

template <class Held, class Wanted>
void convert_numbers(const char* bytes, std::int64_t count, Wanted* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    Held value;
    std::memcpy(&value, bytes + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    out[i] = static_cast<Wanted>(value);
  }
}

template <class Wanted>
void convert_numbers(StoredNumber number, const char* bytes, std::int64_t count, Wanted* out) {
  switch (number) {
    case StoredNumber::f4:
      return convert_numbers<float>(bytes, count, out);
    case StoredNumber::f8:
      return convert_numbers<double>(bytes, count, out);
    case StoredNumber::i1:
      return convert_numbers<std::int8_t>(bytes, count, out);
    case StoredNumber::i2:
      return convert_numbers<std::int16_t>(bytes, count, out);
    case StoredNumber::i4:
      return convert_numbers<std::int32_t>(bytes, count, out);
    case StoredNumber::i8:
      return convert_numbers<std::int64_t>(bytes, count, out);
    case StoredNumber::u1:
      return convert_numbers<std::uint8_t>(bytes, count, out);
    case StoredNumber::u2:
      return convert_numbers<std::uint16_t>(bytes, count, out);
    case StoredNumber::u4:
      return convert_numbers<std::uint32_t>(bytes, count, out);
    case StoredNumber::u8:
      return convert_numbers<std::uint64_t>(bytes, count, out);
  }
}

bool is_float(StoredNumber number) {
  return number == StoredNumber::f4 || number == StoredNumber::f8;
}

class RawArray final : public StoredArray {
 public:
  RawArray(std::shared_ptr<const StoredFile> file, std::uint64_t offset, StoredNumber number,
           std::vector<std::int64_t> shape, std::string where)
      : StoredArray(std::move(shape), std::move(where)), file_(std::move(file)), offset_(offset), number_(number) {
    const auto bytes = shape_bytes(this->shape(), static_cast<std::int64_t>(bytes_of(number)));
    PAIRS_CHECK(bytes, "{} is damaged: its shape is beyond what an array can have; write the file again",
                this->where());
    PAIRS_CHECK(offset <= file_->bytes() && *bytes <= file_->bytes() - offset,
                "{} is cut short: its shape [{}] needs {} and the file ends after {} of them; write the file again",
                this->where(), fmt::join(this->shape(), ", "), byte_text(*bytes),
                byte_text(file_->bytes() - std::min(offset, file_->bytes())));
  }
  bool exceeds_float32() const override { return number_ != StoredNumber::f4 && bytes_of(number_) >= 4; }
  bool integers() const override { return !is_float(number_); }
  void read(std::int64_t first, std::int64_t count, float* out) const override {
    read_as(first, count, out, number_ == StoredNumber::f4);
  }
  void read(std::int64_t first, std::int64_t count, double* out) const override {
    read_as(first, count, out, number_ == StoredNumber::f8);
  }
  void read(std::int64_t first, std::int64_t count, std::int64_t* out) const override {
    PAIRS_CHECK(!is_float(number_), "{} holds floating-point numbers where whole ones are needed; save it as int64",
                where());
    read_as(first, count, out, number_ == StoredNumber::i8);
  }

 private:
  template <class Wanted>
  void read_as(std::int64_t first, std::int64_t count, Wanted* out, bool same) const {
    const std::uint64_t each = bytes_of(number_);
    if (same) {
      file_->read(offset_ + static_cast<std::uint64_t>(first) * each, reinterpret_cast<char*>(out),
                  static_cast<std::size_t>(count) * each);
      return;
    }
    std::vector<char> bytes(static_cast<std::size_t>(std::min(count, kNumbersAtOnce)) * each);
    for (std::int64_t at = 0, part; at < count; at += part) {
      part = std::min(kNumbersAtOnce, count - at);
      file_->read(offset_ + static_cast<std::uint64_t>(first + at) * each, bytes.data(),
                  static_cast<std::size_t>(part) * each);
      convert_numbers(number_, bytes.data(), part, out + at);
    }
  }

  std::shared_ptr<const StoredFile> file_;
  std::uint64_t offset_;
  StoredNumber number_;
};

StoredNumber number_of(const std::string& type, const std::string& where) {
  constexpr std::pair<const char*, StoredNumber> kTypes[] = {
      {"f4", StoredNumber::f4}, {"f8", StoredNumber::f8}, {"i1", StoredNumber::i1}, {"i2", StoredNumber::i2},
      {"i4", StoredNumber::i4}, {"i8", StoredNumber::i8}, {"u1", StoredNumber::u1}, {"b1", StoredNumber::u1},
      {"u2", StoredNumber::u2}, {"u4", StoredNumber::u4}};
  for (const auto& [name, number] : kTypes)
    if (type == name) return number;
  fail("{} has the type '{}', which is not read in place; save it as float32, float64 or int64", where,
       printable(type));
}

}  // namespace

std::int64_t StoredArray::count() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t bytes_of(StoredNumber number) {
  switch (number) {
    case StoredNumber::i1:
    case StoredNumber::u1:
      return 1;
    case StoredNumber::i2:
    case StoredNumber::u2:
      return 2;
    case StoredNumber::f4:
    case StoredNumber::i4:
    case StoredNumber::u4:
      return 4;
    default:
      return 8;
  }
}

std::unique_ptr<StoredArray> raw_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       StoredNumber number, std::vector<std::int64_t> shape, std::string where) {
  return std::make_unique<RawArray>(std::move(file), offset, number, std::move(shape), std::move(where));
}

std::unique_ptr<StoredArray> npy_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       std::uint64_t bytes, const std::string& where) {
  std::uint64_t at = 0;
  const NpyHeader header = read_npy_header(
      [&](char* target, std::size_t size) {
        PAIRS_CHECK(at + size <= bytes, "{} is cut short in its header; write the file again", where);
        file->read(offset + at, target, size);
        at += size;
      },
      where);
  PAIRS_CHECK(!header.fortran || header.shape.size() < 2,
              "{} is in Fortran order, where a set's numbers do not lie together; save numpy.ascontiguousarray of it",
              where);
  PAIRS_CHECK(header.bytes <= bytes - at,
              "{} is cut short: its shape [{}] needs {} and {} are there; write the file again", where,
              fmt::join(header.shape, ", "), byte_text(header.bytes), byte_text(bytes - at));
  return raw_array(std::move(file), offset + at, number_of(header.type, where), header.shape, where);
}

}  // namespace pairs
