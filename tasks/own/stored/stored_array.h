#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tasks/own/stored/stored_file.h"

namespace pairs {

// An array of numbers in a file, read in place: memory is proportional to the part that is read.
class StoredArray {
 public:
  StoredArray(std::vector<std::int64_t> shape, std::string where)
      : shape_(std::move(shape)), where_(std::move(where)) {}
  virtual ~StoredArray() = default;
  StoredArray(const StoredArray&) = delete;
  StoredArray& operator=(const StoredArray&) = delete;

  const std::vector<std::int64_t>& shape() const { return shape_; }
  // The total count of numbers.
  std::int64_t count() const;
  // Whether its numbers have more than 24 bits, so that float32 rounds them.
  virtual bool exceeds_float32() const = 0;
  // Whether it holds whole numbers.
  virtual bool integers() const = 0;
  // "large.npz: array 'theta'": the beginning of sentences.
  const std::string& where() const { return where_; }

  // Read numbers first .. first + count - 1 in C order, converted. Thread-safe. Throw Error if the file cannot be read.
  virtual void read(std::int64_t first, std::int64_t count, float* out) const = 0;
  virtual void read(std::int64_t first, std::int64_t count, double* out) const = 0;
  // Throws Error if the array does not hold integers.
  virtual void read(std::int64_t first, std::int64_t count, std::int64_t* out) const = 0;

 private:
  std::vector<std::int64_t> shape_;
  std::string where_;
};

// The type of a number in a file.
enum class StoredNumber { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 };
std::size_t bytes_of(StoredNumber number);

// An uncompressed array in a file, starting at `offset`, in little-endian or big-endian order. Throws Error if the file
// ends before it.
std::unique_ptr<StoredArray> raw_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       StoredNumber number, std::vector<std::int64_t> shape, std::string where,
                                       bool big_endian = false);

// The single array of an NPY file, of which `bytes` from `offset` on are read; `where` names it. An array in Fortran
// order is copied to an unnamed file, so that a set's numbers are contiguous. Throws Error for types other than
// integers, booleans, float16, float32 and float64, and if the array is cut short.
std::unique_ptr<StoredArray> npy_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       std::uint64_t bytes, const std::string& where);

// The arrays of one file by name, found when it is opened; each is made on request.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::vector<std::string> names() const = 0;
  // Null if there is none of that name.
  virtual std::unique_ptr<StoredArray> array(const std::string& name) const = 0;
  // Further files that provide the arrays requested so far.
  virtual std::vector<std::shared_ptr<const StoredFile>> sources() const { return {}; }
};

// An NPZ file. A compressed array is unpacked to an unnamed file on request.
std::unique_ptr<ArrayFile> npz_arrays(std::shared_ptr<const StoredFile> file);
// An HDF5 file; data sets in groups have names such as "a/theta", and links within the file may lead to them. Numbers
// that were never written (missing chunks) are refused instead of read as fill values. Links and data sets that lead to
// other files are also refused, except the sources of virtual data sets: regular files in or below `folder`, whose data
// sets are checked in the same way. Throws Error if this build lacks libhdf5.
std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

// A data set along one or two axes of an HDF5 file, or "table/field", a field of a table (a compound data set along one
// axis): its shape, and what it holds instead of numbers. It is opened when it is read, so that others may be damaged.
struct StoredColumn {
  std::string name, other;
  std::vector<std::int64_t> shape;  // [rows], or [rows, numbers per row]
  bool field = false;
  // Null if `other` is not empty. Throws Error if the numbers cannot be read.
  std::function<std::unique_ptr<StoredArray>()> open = {};
  // Texts first .. first + count - 1 of an array of text along one axis; empty for other arrays. Throws Error.
  std::function<void(std::int64_t first, std::int64_t count, std::vector<std::string>& out)> texts = {};
};
struct StoredColumns {
  std::vector<StoredColumn> columns;
  // The text attribute of that name of a group or a data set; "" if it has none.
  std::function<std::string(const std::string& object, const std::string& attribute)> attribute;
  // The names of the columns of a two-dimensional data set, from its attribute "columns", "column_names" or "names", or
  // from a scale of texts along its second axis; empty if there are none.
  std::function<std::vector<std::string>(const StoredColumn& column)> numbers = {};
};
// Throws as hdf5_arrays does.
StoredColumns hdf5_columns(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

}  // namespace pairs
