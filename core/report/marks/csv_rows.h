#pragma once

#include <string>

#include "core/report/figure.h"

namespace pairs::chart {

// The rows that a plot writes into a figure's CSV.
class CsvRows {
 public:
  // `plot`: what its rows call it. They are appended to `text`, which outlives this.
  CsvRows(const std::string& plot, std::string& text);
  void add(const std::string& series, const char* kind, const std::string& x, const std::string& y,
           const std::string& lower = "", const std::string& upper = "");

 private:
  std::string plot_;
  std::string& text_;
};

// The shortest digits that read back as the same double.
std::string csv_cell(double value);
// The same, and on an axis that names things the thing's name.
std::string csv_cell(const Axis& axis, double value);

}  // namespace pairs::chart
