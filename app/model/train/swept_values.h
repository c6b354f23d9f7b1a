#pragma once

#include <string>
#include <vector>

#include "app/model/train/draft.h"

namespace pairs::model {

// The words of a list with commas between them, without the blanks around them; empty ones are left out.
std::vector<std::string> comma_separated(const std::string& text);
bool is_number(const std::string& word);

// Settings that a study can vary: those that hold one number or word, and that neither the machine, nor the seed, nor
// what is evaluated goes by.
bool can_be_varied(const Setting& setting);
// The values that were written into a setting's field where it holds one number: "1, 4, 16" are those of a study that
// varies it. Empty where there is one alone, or where the setting cannot be varied.
std::vector<std::string> swept_values(const Setting& setting);
// The first of some values that stands there more than once; "" where each stands once.
std::string value_given_twice(const std::vector<std::string>& values);

}  // namespace pairs::model
