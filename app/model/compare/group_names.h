#pragma once

#include <string>
#include <vector>

#include "app/model/compare/run_record.h"

namespace pairs::model {

// A setting's value without the quotes and brackets of a file.
std::string plain_text(const std::string& toml);

// What groups of runs are called beside one another, by a run of each: strategy and the settings that they differ in,
// "PAIRS, size 16", those that only some read left out, and `except`. Where that leaves several alike, each names its
// run, too.
std::vector<std::string> group_names(const std::vector<const RunRecord*>& firsts, const std::string& except = "");

}  // namespace pairs::model
