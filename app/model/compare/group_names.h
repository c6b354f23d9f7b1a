#pragma once

#include <string>
#include <vector>

#include "app/model/compare/run_record.h"

namespace pairs::model {

// A setting's value without TOML's quotes and brackets.
std::string plain_text(const std::string& toml);

// Names that distinguish groups of runs, given one run of each: the strategy and the settings that differ, such as
// "PAIRS, size 16". Omits `except` and settings that only some runs read. Groups that would share a name get the run's
// name as well.
std::vector<std::string> group_names(const std::vector<const RunRecord*>& firsts, const std::string& except = "");

}  // namespace pairs::model
