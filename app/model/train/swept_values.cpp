#include "app/model/train/swept_values.h"

#include <algorithm>
#include <charconv>

namespace pairs::model {

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t", begin);
    if (first < end) words.push_back(text.substr(first, text.find_last_not_of(" \t", end - 1) - first + 1));
    begin = end + 1;
  }
  return words;
}

bool is_number(const std::string& word) {
  double value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  return read.ec == std::errc() && read.ptr == word.data() + word.size();
}

bool can_be_varied(const Setting& setting) {
  const bool single = setting.kind == SettingKind::number || setting.kind == SettingKind::choice;
  return single && setting.key != "seed" && !is_of_machine(setting.key) && !setting.key.starts_with("evaluate.");
}

std::vector<std::string> swept_values(const Setting& setting) {
  if (setting.kind != SettingKind::number || !can_be_varied(setting)) return {};
  std::vector<std::string> values = comma_separated(setting.value);
  const bool numbers = std::all_of(values.begin(), values.end(), is_number);
  return numbers && values.size() > 1 ? values : std::vector<std::string>();
}

std::string value_given_twice(const std::vector<std::string>& values) {
  for (auto at = values.begin(); at != values.end(); ++at)
    if (std::find(at + 1, values.end(), *at) != values.end()) return *at;
  return "";
}

}  // namespace pairs::model
