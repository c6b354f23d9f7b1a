#include "tasks/own/stored/stored_array.h"

#include <c10/util/Half.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/base/files/npy.h"
#include "core/base/files/shape_bytes.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/stored/unpacked_file.h"

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
    case StoredNumber::f2:
      return convert_numbers<c10::Half>(bytes, count, out);
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
  return number == StoredNumber::f2 || number == StoredNumber::f4 || number == StoredNumber::f8;
}

// Reverses the bytes of each of `count` numbers of `each` bytes.
void swap_numbers(char* bytes, std::int64_t count, std::uint64_t each) {
  for (std::int64_t i = 0; i < count; ++i, bytes += each) std::reverse(bytes, bytes + each);
}

class RawArray final : public StoredArray {
 public:
  RawArray(std::shared_ptr<const StoredFile> file, std::uint64_t offset, StoredNumber number,
           std::vector<std::int64_t> shape, std::string where, bool big_endian)
      : StoredArray(std::move(shape), std::move(where)),
        file_(std::move(file)),
        offset_(offset),
        number_(number),
        big_endian_(big_endian && bytes_of(number) > 1) {
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
    if (same && !big_endian_) {
      file_->read(offset_ + static_cast<std::uint64_t>(first) * each, reinterpret_cast<char*>(out),
                  static_cast<std::size_t>(count) * each);
      return;
    }
    std::vector<char> bytes(static_cast<std::size_t>(std::min(count, kNumbersAtOnce)) * each);
    for (std::int64_t at = 0, part; at < count; at += part) {
      part = std::min(kNumbersAtOnce, count - at);
      file_->read(offset_ + static_cast<std::uint64_t>(first + at) * each, bytes.data(),
                  static_cast<std::size_t>(part) * each);
      if (big_endian_) swap_numbers(bytes.data(), part, each);
      convert_numbers(number_, bytes.data(), part, out + at);
    }
  }

  std::shared_ptr<const StoredFile> file_;
  std::uint64_t offset_;
  StoredNumber number_;
  bool big_endian_;
};

StoredNumber number_of(const std::string& type, const std::string& where) {
  constexpr std::pair<const char*, StoredNumber> kTypes[] = {
      {"f2", StoredNumber::f2}, {"f4", StoredNumber::f4}, {"f8", StoredNumber::f8}, {"i1", StoredNumber::i1},
      {"i2", StoredNumber::i2}, {"i4", StoredNumber::i4}, {"i8", StoredNumber::i8}, {"u1", StoredNumber::u1},
      {"b1", StoredNumber::u1}, {"u2", StoredNumber::u2}, {"u4", StoredNumber::u4}, {"u8", StoredNumber::u8}};
  for (const auto& [name, number] : kTypes)
    if (type == name) return number;
  fail("{} has the type '{}', which is not read in place; save it as float32, float64 or int64", where,
       printable(type));
}

// Copies an array whose first axis varies fastest (Fortran order) into C order, a block of rows at a time.
std::shared_ptr<const StoredFile> in_c_order(const StoredFile& file, std::uint64_t offset, std::uint64_t each,
                                             const std::vector<std::int64_t>& shape, const std::string& where) {
  constexpr std::uint64_t kBlock = 32 << 20;  // bytes
  const std::int64_t rows = shape[0],
                     inner = std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
  // The positions, in Fortran order, of the numbers of a row in C order.
  std::vector<std::int64_t> places(static_cast<std::size_t>(inner));
  for (std::int64_t k = 0; k < inner; ++k) {
    std::int64_t rest = k, place = 0, stride = inner;
    for (std::size_t axis = shape.size(); axis-- > 1; rest /= shape[axis]) {
      stride /= shape[axis];
      place += rest % shape[axis] * stride;
    }
    places[static_cast<std::size_t>(k)] = place;
  }
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(inner) * each;
  const std::int64_t at_once =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(kBlock / std::max<std::uint64_t>(row_bytes, 1)), 1, rows);
  return unpacked_file(where, static_cast<std::uint64_t>(rows) * row_bytes, [&](const BytesTaker& take) {
    std::vector<char> block(static_cast<std::size_t>(at_once) * row_bytes),
        column(static_cast<std::size_t>(at_once) * each);
    for (std::int64_t first = 0, count; first < rows; first += count) {
      count = std::min(at_once, rows - first);
      for (std::int64_t k = 0; k < inner; ++k) {
        const auto place = static_cast<std::uint64_t>(places[static_cast<std::size_t>(k)] * rows + first);
        file.read(offset + place * each, column.data(), static_cast<std::size_t>(count) * each);
        for (std::int64_t i = 0; i < count; ++i)
          std::memcpy(block.data() + static_cast<std::uint64_t>(i) * row_bytes + static_cast<std::uint64_t>(k) * each,
                      column.data() + static_cast<std::uint64_t>(i) * each, each);
      }
      take({block.data(), static_cast<std::size_t>(count) * row_bytes});
    }
  });
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
    case StoredNumber::f2:
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
                                       StoredNumber number, std::vector<std::int64_t> shape, std::string where,
                                       bool big_endian) {
  return std::make_unique<RawArray>(std::move(file), offset, number, std::move(shape), std::move(where), big_endian);
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
  PAIRS_CHECK(header.bytes <= bytes - at,
              "{} is cut short: its shape [{}] needs {} and {} are there; write the file again", where,
              fmt::join(header.shape, ", "), byte_text(header.bytes), byte_text(bytes - at));
  const StoredNumber number = number_of(header.type, where);
  if (header.fortran && header.shape.size() > 1 && header.bytes > 0)
    return raw_array(in_c_order(*file, offset + at, bytes_of(number), header.shape, where), 0, number, header.shape,
                     where, header.big_endian);
  return raw_array(std::move(file), offset + at, number, header.shape, where, header.big_endian);
}

}  // namespace pairs
