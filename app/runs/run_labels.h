#pragma once

#include <string>
#include <vector>

#include "core/train/config.h"

namespace pairs {

// Runs that a figure draws. Those of one setting that differ in their seed alone share a label, so that figures take
// them for seeds of one line; all others have their own. What does not decide the weights does not count.
struct LabelledRun {
  std::string name;
  RunConfig config;
  bool finetuned = true;  // false: stage 1 only
};
std::vector<std::string> seed_labels(const std::vector<LabelledRun>& runs);

// One setting of several runs; those that differ come first.
struct SettingRow {
  std::string key;
  std::vector<std::string> values;  // as TOML
  bool differs;
};
std::vector<SettingRow> setting_rows(std::vector<RunConfig> configs);

}  // namespace pairs
