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

// An array of numbers in a file, read in place: memory goes with what is asked for.
class StoredArray {
 public:
  StoredArray(std::vector<std::int64_t> shape, std::string where)
      : shape_(std::move(shape)), where_(std::move(where)) {}
  virtual ~StoredArray() = default;
  StoredArray(const StoredArray&) = delete;
  StoredArray& operator=(const StoredArray&) = delete;

  const std::vector<std::int64_t>& shape() const { return shape_; }
  // All its numbers.
  std::int64_t count() const;
  // Whether it holds numbers of more than 24 bits, of which float32 keeps the first.
  virtual bool exceeds_float32() const = 0;
  // Whether it holds whole numbers.
  virtual bool integers() const = 0;
  // "large.npz: array 'theta'": how sentences begin.
  const std::string& where() const { return where_; }

  // Numbers first .. first + count - 1 in C order, converted. From any thread. Throw Error where the file cannot be
  // read.
  virtual void read(std::int64_t first, std::int64_t count, float* out) const = 0;
  virtual void read(std::int64_t first, std::int64_t count, double* out) const = 0;
  // Throws Error where the array holds no integers.
  virtual void read(std::int64_t first, std::int64_t count, std::int64_t* out) const = 0;

 private:
  std::vector<std::int64_t> shape_;
  std::string where_;
};

// How a number stands in a file.
enum class StoredNumber { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 };
std::size_t bytes_of(StoredNumber number);

// An array that lies in a file as it stands, from `offset` on, in little-endian or big-endian order. Throws Error where
// the file ends before it does.
std::unique_ptr<StoredArray> raw_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       StoredNumber number, std::vector<std::int64_t> shape, std::string where,
                                       bool big_endian = false);

// The one array of a NPY file, of which `bytes` from `offset` on are read; `where` names it. An array in Fortran order
// is copied into a file without a name, where a set's numbers lie together. Throws Error for types other than integers,
// booleans, float16, float32 and float64, and where the array is cut short.
std::unique_ptr<StoredArray> npy_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       std::uint64_t bytes, const std::string& where);

// The arrays of one file by name, found once it is opened; each is made when it is asked for.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::vector<std::string> names() const = 0;
  // Null where there is none of that name.
  virtual std::unique_ptr<StoredArray> array(const std::string& name) const = 0;
  // Further files that the arrays asked for so far are read from.
  virtual std::vector<std::shared_ptr<const StoredFile>> sources() const { return {}; }
};

// A NPZ file. A compressed array is unpacked into a file without a name once it is asked for.
std::unique_ptr<ArrayFile> npz_arrays(std::shared_ptr<const StoredFile> file);
// A HDF5 file; datasets in groups have names such as "a/theta", and links within the file may lead to them. Numbers
// that were never written (missing chunks) are refused instead of read as fill values, and so are links and data sets
// that lead to other files, but for the sources of virtual data sets: regular files in or below `folder`, whose data
// sets are checked likewise. Throws Error where this build has no libhdf5.
std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

// A data set along one or two axes of a HDF5 file, or "table/field", a field of a table (a compound data set along one
// axis): its shape, and what it holds instead of numbers. It is opened when it is read, so that others may be damaged.
struct StoredColumn {
  std::string name, other;
  std::vector<std::int64_t> shape;  // [rows], or [rows, numbers a row]
  bool field = false;
  // Null where `other` is not empty. Throws Error where the numbers cannot be read.
  std::function<std::unique_ptr<StoredArray>()> open = {};
  // Texts first .. first + count - 1 of an array of text along one axis; else empty. Throws Error.
  std::function<void(std::int64_t first, std::int64_t count, std::vector<std::string>& out)> texts = {};
};
struct StoredColumns {
  std::vector<StoredColumn> columns;
  // The text that a group or a data set has as an attribute of that name; "" where it has none.
  std::function<std::string(const std::string& object, const std::string& attribute)> attribute;
  // What a data set of two axes calls the numbers of its rows, by its attribute "columns", "column_names" or "names",
  // or by a scale of texts along its second axis; empty where it does not say.
  std::function<std::vector<std::string>(const StoredColumn& column)> numbers = {};
};
// Throws as hdf5_arrays.
StoredColumns hdf5_columns(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

}  // namespace pairs
