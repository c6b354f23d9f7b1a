#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// The memory that all arrays of one file may take when read: half of this machine's memory.
std::uint64_t array_memory_limit();

// Reads the arrays of a NumPy .npz (through libzip; stored or deflated) one by one. Accepts f2/f4/f8/i1/i2/i4/i8/u1/b1
// in either byte order, C or Fortran order, versions 1 to 3 of the .npy header; u2 widens to int32, u4 and u8 to int64.
// Objects and pickles are refused only when they are read, so that a file may hold them along with arrays of numbers;
// sizes are checked against the headers and `limit` bytes in total before anything is allocated. A single .npy array is
// read as an archive of that array, named "x"; gzip files are unpacked. Throws Error with one sentence; `where` names
// the source in it.
class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& file);
  NpzReader(std::string bytes, std::string where, std::uint64_t limit = array_memory_limit());
  ~NpzReader();
  NpzReader(const NpzReader&) = delete;
  NpzReader& operator=(const NpzReader&) = delete;

  // Shapes by name, from the headers.
  const std::map<std::string, std::vector<std::int64_t>>& shapes() const { return shapes_; }
  // Why other members of the file (except texts) cannot be read, by name.
  const std::map<std::string, std::string>& problems() const { return problems_; }
  // Throws Error if there is a problem.
  void check_all() const;
  // Reads an array of shapes(), or its first `rows` along the first axis; unpacks no more than these if possible.
  torch::Tensor read(const std::string& name, std::int64_t rows = std::numeric_limits<std::int64_t>::max());

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
  std::map<std::string, std::string> problems_;
};

// All arrays of a .npz.
std::map<std::string, torch::Tensor> read_npz(const std::filesystem::path& file);
std::map<std::string, torch::Tensor> parse_npz(std::string_view bytes, const std::string& where,
                                               std::uint64_t limit = array_memory_limit());

// One .npy array from bytes.
torch::Tensor parse_npy(std::string_view bytes, const std::string& where);

// Writes atomically, deflated. Equal arrays give equal bytes; there must be at least one. Names become NAME.npy inside.
void write_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays);

// Reads a CSV of numbers: an optional header line, comma, semicolon, tab or blanks between values (the first data or
// header line decides), '#' comments. Returns float64 [rows, columns]; throws Error naming the line for ragged rows,
// text or non-finite values, and if there is no row.
// `columns` names the needed columns: if the file has a header, these are returned in this order and others are ignored
// (if one is needed, a file's only column may have any name). Without a header all columns are returned.
torch::Tensor read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns = {});
torch::Tensor parse_csv(std::string_view text, const std::string& where, const std::vector<std::string>& columns = {});

}  // namespace pairs
