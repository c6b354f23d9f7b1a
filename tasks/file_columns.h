#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// How people's files of observations write one of a task's columns. x = (value - location) / scale, computed in
// float64; with `log` the natural logarithm of that.
struct FileColumn {
  std::string from;  // what the files call it
  double location = 0, scale = 1;
  bool log = false;
  std::string unit = {};  // of x, for people

  bool converts() const { return location != 0 || scale != 1 || log; }
};

// A task that says so, one a column of its points. Simulations are in the task's own units: what is simulated or stored
// is never converted.
class HasFileColumns {
 public:
  virtual ~HasFileColumns() = default;
  // Empty: files write x as it is, under the names of x's columns.
  virtual const std::vector<FileColumn>& file_columns() const = 0;
};

// Converts `count` rows of as many values as there are columns, which begin at row `first` of `where`, in place. Throws
// Error naming column and row of a value that cannot be.
void convert_columns(const std::vector<FileColumn>& columns, const std::string& where, std::int64_t first,
                     std::int64_t count, double* values);

}  // namespace pairs
