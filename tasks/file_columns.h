#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// How users' files of observations store one of a task's columns. x = (value - location) / scale, computed in float64;
// with `log` the natural logarithm of that.
struct FileColumn {
  std::string from;  // the column's name in the files
  double location = 0, scale = 1;
  bool log = false;
  std::string unit = {};  // unit of x, for display

  bool converts() const { return location != 0 || scale != 1 || log; }
};

// A task with file columns, one per column of its points. Simulations are in the task's own units: simulated and stored
// sets are never converted.
class HasFileColumns {
 public:
  virtual ~HasFileColumns() = default;
  // Empty: files store x unchanged, under the names of x's columns.
  virtual const std::vector<FileColumn>& file_columns() const = 0;
};

// Converts `count` rows in place, with one value per column; the first is row `first` of `where`. Throws Error naming
// column and row of a value that cannot be converted.
void convert_columns(const std::vector<FileColumn>& columns, const std::string& where, std::int64_t first,
                     std::int64_t count, double* values);

}  // namespace pairs
