#pragma once

#include <string>
#include <vector>

#include "app/model/train/draft.h"

namespace pairs::model {

// The words of a comma-separated list, trimmed; omits empty ones.
std::vector<std::string> comma_separated(const std::string& text);
bool is_number(const std::string& word);

// Whether a study can vary a setting: it holds one number or word and is neither the machine's, nor the seed, nor a
// setting of the evaluation.
bool can_be_varied(const Setting& setting);
// The values typed into a field for one number: "1, 4, 16" are the values of a study that varies it. Empty for a single
// value, or if the setting cannot be varied.
std::vector<std::string> swept_values(const Setting& setting);
// The first value that occurs more than once; "" if none does.
std::string value_given_twice(const std::vector<std::string>& values);

}  // namespace pairs::model
