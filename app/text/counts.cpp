#include "app/text/counts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

std::vector<std::int64_t> parse_counts(const std::string& text, const std::string& name, const std::string& before) {
  std::vector<std::int64_t> values;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(", ", at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    double value = 0;
    const auto [end_of_number, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool read = error == std::errc() && end_of_number == word.data() + word.size();
    if (!read || !(value >= 1) || value > 1e12 || value != std::floor(value))
      fail_usage("{} holds {}, which is not a whole number from 1 to 1e12; write for example {}1,2,100", name,
                 printable(word), before);
    values.push_back(static_cast<std::int64_t>(value));
  }
  if (values.empty()) fail_usage("{} is empty; write for example {}1,2,100", name, before);
  return values;
}

std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& name, const std::string& before) {
  std::vector<std::int64_t> sizes = parse_counts(text, name, before), sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail_usage("{} names N = {} twice; name each size once", name, *twice);
  return sizes;
}

}  // namespace pairs
