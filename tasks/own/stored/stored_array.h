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

// How a number stands in a file, in little-endian order.
enum class StoredNumber { f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 };
std::size_t bytes_of(StoredNumber number);

// An array that lies in a file as it stands, from `offset` on. Throws Error where the file ends before it does.
std::unique_ptr<StoredArray> raw_array(std::shared_ptr<const StoredFile> file, std::uint64_t offset,
                                       StoredNumber number, std::vector<std::int64_t> shape, std::string where);

// The one array of a NPY file, of which `bytes` from `offset` on are read; `where` names it. Throws Error for types
// other than little-endian integers, float32 and float64, for Fortran order, and where it is cut short.
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

// A NPZ file. An array in it must be stored without compression, which is known once it is asked for.
std::unique_ptr<ArrayFile> npz_arrays(std::shared_ptr<const StoredFile> file);
// A HDF5 file; datasets in groups have names such as "a/theta", and links within the file may lead to them. Numbers
// that were never written (missing chunks) are refused instead of read as fill values, and so are links and data sets
// that lead to other files, but for the sources of virtual data sets: regular files in or below `folder`, whose data
// sets are checked likewise. Throws Error where this build has no libhdf5.
std::unique_ptr<ArrayFile> hdf5_arrays(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

// What a HDF5 file holds along one or two axes, and the fields of its tables (compound data sets along one axis) as
// "table/field": their numbers, or what they hold instead of numbers. Throws as hdf5_arrays and its arrays.
struct StoredColumn {
  std::string name, other;
  std::unique_ptr<StoredArray> numbers;  // null where `other` says something
  // Texts first .. first + count - 1 of an array of text along one axis; else empty. Throws Error.
  std::function<void(std::int64_t first, std::int64_t count, std::vector<std::string>& out)> texts = {};
};
std::vector<StoredColumn> hdf5_columns(std::shared_ptr<const StoredFile> file, const std::filesystem::path& folder);

}  // namespace pairs
