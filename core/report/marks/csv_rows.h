#pragma once

#include <string>

#include "core/report/figure.h"

namespace pairs::chart {

// Writes a plot's rows of a figure's CSV.
class CsvRows {
 public:
  // `plot`: the plot's name in the rows. They are appended to `text`, which must outlive this.
  CsvRows(const std::string& plot, std::string& text);
  void add(const std::string& series, const char* kind, const std::string& x, const std::string& y,
           const std::string& lower = "", const std::string& upper = "");

 private:
  std::string plot_;
  std::string& text_;
};

// The shortest digits that read back as the same double.
std::string csv_cell(double value);
// csv_cell of a value on an axis: the name at that value on a categorical axis.
std::string csv_cell(const Axis& axis, double value);

}  // namespace pairs::chart
