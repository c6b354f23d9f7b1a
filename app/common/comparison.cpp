#include "app/common/comparison.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace pairs {

PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline) {
  PAIRS_CHECK(log_prob.size() == baseline.size() && !log_prob.empty(),
              "A paired comparison needs the same sets: {} against {}", log_prob.size(), baseline.size());
  const auto count = static_cast<double>(log_prob.size());
  double mean = 0;
  for (std::size_t i = 0; i < log_prob.size(); ++i) mean += (baseline[i] - log_prob[i]) / count;
  double square = 0;
  for (std::size_t i = 0; i < log_prob.size(); ++i) square += std::pow(baseline[i] - log_prob[i] - mean, 2);
  return {mean, count > 1 ? std::sqrt(square / (count - 1) / count) : NAN};
}

std::vector<SettingRow> setting_rows(std::vector<RunConfig> configs) {
  std::vector<std::vector<Field>> tables;
  for (RunConfig& config : configs) tables.push_back(fields(config));
  std::vector<SettingRow> rows;
  for (std::size_t i = 0; !tables.empty() && i < tables[0].size(); ++i) {
    SettingRow row{tables[0][i].key, {}, false};
    for (const auto& table : tables) row.values.push_back(field_text(table[i]));
    row.differs = std::any_of(row.values.begin(), row.values.end(), [&](const auto& v) { return v != row.values[0]; });
    rows.push_back(std::move(row));
  }
  std::stable_partition(rows.begin(), rows.end(), [](const SettingRow& row) { return row.differs; });
  return rows;
}

}  // namespace pairs
