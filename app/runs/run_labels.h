#pragma once

#include <string>
#include <vector>

#include "core/train/settings/config.h"

namespace pairs {

// A run in a figure. Runs that differ only in the seed share a label, so that figures treat them as seeds of one line;
// all others have their own. Ignores settings that do not affect the weights.
struct LabeledRun {
  std::string name;
  RunConfig config;
  bool finetuned = true;  // false: stage 1 only
};
std::vector<std::string> seed_labels(const std::vector<LabeledRun>& runs);

// One setting of several runs; those that differ come first.
struct SettingRow {
  std::string key;
  std::vector<std::string> values;  // as TOML
  bool differs;
};
std::vector<SettingRow> setting_rows(std::vector<RunConfig> configs);

}  // namespace pairs
