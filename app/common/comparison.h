#pragma once

#include <string>
#include <vector>

#include "core/train/config.h"

namespace pairs {

// Mean and standard error, over the same sets, of a run's NLL minus the baseline's. Throws Error when the lengths
// differ.
struct PairedDifference {
  double mean, se;
};
PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline);

// One setting of several runs; those that differ come first.
struct SettingRow {
  std::string key;
  std::vector<std::string> values;  // as TOML
  bool differs;
};
std::vector<SettingRow> setting_rows(std::vector<RunConfig> configs);

}  // namespace pairs
