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

// What all arrays of one file may take when read: half of this machine's memory.
std::uint64_t array_memory_limit();

// Arrays of a NumPy .npz (through libzip; stored or deflated), read one by one. Takes f2/f4/f8/i1/i2/i4/i8/u1/b1 in
// either byte order, C or Fortran order, versions 1 to 3 of the .npy header; u2 widens to int32, u4 and u8 to int64.
// Objects and pickles are refused once they are read, so that they may stand beside arrays of numbers; sizes are
// checked against the headers and `limit` bytes in all before anything is allocated. A file that is one .npy array is
// read as an archive of that array, "x"; gzip files are unpacked. Throws Error with one sentence; `where` names the
// source in it.
class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& file);
  NpzReader(std::string bytes, std::string where, std::uint64_t limit = array_memory_limit());
  ~NpzReader();
  NpzReader(const NpzReader&) = delete;
  NpzReader& operator=(const NpzReader&) = delete;

  // By name, as the headers tell them.
  const std::map<std::string, std::vector<std::int64_t>>& shapes() const { return shapes_; }
  // Why other members of the file, but for texts, cannot be read, by name.
  const std::map<std::string, std::string>& problems() const { return problems_; }
  // Throws Error where there is a problem.
  void check_all() const;
  // An array of shapes(), or its first `rows` along the first axis, for which no more of it is unpacked where it can be
  // helped.
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

// Writes atomically, deflated; the same arrays, of which there must be some, give the same bytes. Names become NAME.npy
// inside.
void write_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays);

// A CSV of numbers: an optional header line, comma, semicolon, tab or blanks between values (the first data or header
// line decides), '#' comments. Returns float64 [rows, columns]; throws Error naming the line on ragged rows, text or
// non-finite values, and when there is no row.
// `columns` names those that are needed: of a file with a header these are returned in this order, whatever else it
// holds (where one is needed, a file's only column may have any name). Without a header all columns are returned.
torch::Tensor read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns = {});
torch::Tensor parse_csv(std::string_view text, const std::string& where, const std::vector<std::string>& columns = {});

}  // namespace pairs
