#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// The header of a .npy array.
struct NpyHeader {
  std::string type;  // "f4", without the byte order; "U5" or "S5" for texts
  bool text() const { return type.starts_with('U') || type.starts_with('S'); }
  bool big_endian = false, fortran = false;
  std::vector<std::int64_t> shape;  // as NumPy shows it
  std::uint64_t bytes = 0;          // size of the data that follow
  std::uint64_t widened_bytes = 0;  // size of the tensor that they become
};

// Fills exactly `size` bytes or throws.
using ByteReader = std::function<void(char* target, std::size_t size)>;

// Reads magic, version and header dictionary, at most 64 KiB. Throws Error naming `where`; also for arrays of text,
// unless `texts` is set.
NpyHeader read_npy_header(const ByteReader& read, const std::string& where, bool texts = false);

// Reads a one-dimensional array of text as UTF-8, without the zeros that pad it.
std::vector<std::string> read_npy_texts(const NpyHeader& header, const ByteReader& read);

// The header of the first `rows` along the first axis if these come first in the file; else the unchanged header.
NpyHeader first_rows(NpyHeader header, std::int64_t rows);

// Reads the data that follow the header into a contiguous tensor in this machine's byte order. Throws Error naming
// `where` for whole numbers that int64 does not hold.
torch::Tensor read_npy_data(const NpyHeader& header, const ByteReader& read, const std::string& where);

// The version 1 header of a contiguous tensor of this type and shape, padded to 64 bytes. Throws Error for types that
// NumPy does not have.
std::string npy_header_text(torch::ScalarType type, torch::IntArrayRef shape, const std::string& where);

// Writes an array as a .npy file, atomically.
void write_npy(const std::filesystem::path& file, const torch::Tensor& values);

}  // namespace pairs
