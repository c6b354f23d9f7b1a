#pragma once

#include <string>
#include <vector>

#include "app/kinds/observation_lines.h"
#include "core/base/csv_lines.h"
#include "core/task.h"

namespace pairs {

// Points as lines of CSV.
class PointsLines final : public ObservationLines {
 public:
  // `where` names their source in errors; `info` outlives this.
  PointsLines(const TaskInfo& info, std::string where);
  void take(std::string_view line) override;
  Observations gather() override;

 private:
  const TaskInfo& info_;
  std::string where_;
  CsvLines lines_;
  std::vector<double> values_;
};

}  // namespace pairs
