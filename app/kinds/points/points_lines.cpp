#include "app/kinds/points/points_lines.h"

#include <utility>

#include "app/kinds/points/points_columns.h"
#include "core/input_scale.h"

namespace pairs {

PointsLines::PointsLines(const TaskInfo& info, std::string where)
    : info_(info), where_(std::move(where)), lines_(where_, info.observation_columns) {}

void PointsLines::take(std::string_view line) {
  const std::size_t before = values_.size();
  try {
    if (lines_.take(line, values_)) check_columns(info_, static_cast<std::int64_t>(lines_.numbers()), where_, "");
  } catch (...) {
    values_.resize(before);
    throw;
  }
}

Observations PointsLines::gather() {
  if (values_.empty()) return {};
  const auto columns = static_cast<std::int64_t>(lines_.numbers());
  const torch::Tensor rows = torch::tensor(values_, torch::kFloat64).view({-1, columns}).to(observed_type(info_));
  values_.clear();
  return rows;
}

}  // namespace pairs
