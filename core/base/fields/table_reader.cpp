#include "core/base/fields/table_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/fields/fields.h"
#include "core/base/fields/renamed_keys.h"
#include "core/base/fields/toml_guard.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

toml::table parse_toml(std::string_view text, const std::string& where) {
  if (text.size() > kMostTomlBytes)
    fail_usage("{} is larger than {}; check that it is the right file", where, byte_text(kMostTomlBytes));
  check_toml_guard(text, where);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail_usage(ErrorPlace{where, error.source().begin.line}, "this is not TOML ({}); mend that line",
               printable(error.description(), 200));
  }
}

const toml::node* TableReader::find(const char* key) {
  known_.emplace_back(key);
  return table_.get(key);
}

const toml::table* TableReader::table(const char* key) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  if (!node->is_table()) refuse(*node, fmt::format("'{0}' must be a table: write [{0}] and its keys below", full(key)));
  return node->as_table();
}

std::vector<const toml::table*> TableReader::tables(const char* key) {
  const toml::node* node = find(key);
  std::vector<const toml::table*> tables;
  if (!node) return tables;
  const toml::array* list = node->as_array();
  if (list)
    for (const toml::node& element : *list)
      if (element.is_table()) tables.push_back(element.as_table());
  if (!list || tables.size() != list->size())
    refuse(*node, fmt::format("'{0}' must be tables: write [[{0}]] and its keys below, once for each", full(key)));
  return tables;
}

void TableReader::refuse(const toml::node& node, const std::string& what) const {
  fail_usage(ErrorPlace{where_, node.source().begin.line}, "{}", what);
}

std::optional<std::string> TableReader::text(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<std::string>();
  if (!value) refuse(*node, fmt::format("'{}' must be a text in quotes", full(key)));
  return *value;
}

std::string TableReader::needed_text(const char* key) {
  const auto value = text(key);
  if (!value) refuse_missing(key, fmt::format("'{}' is missing; add it as a text in quotes", full(key)));
  if (value->empty()) refuse(*table_.get(key), fmt::format("'{}' is empty; write a text into the quotes", full(key)));
  return *value;
}

void TableReader::refuse_former(const toml::node& node, const std::string& key) const {
  if (const std::string now = present_key(key); !now.empty())
    refuse(node, fmt::format("'{}' is called '{}' now; {}", printable(key), now, kConvertAdvice));
}

void TableReader::refuse_missing(const char* key, const std::string& what) const {
  const auto lower = [](std::string_view word) {
    std::string out(word);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  };
  for (const auto& [name, node] : table_) {
    const std::string word(name.str());
    if (std::find(known_.begin(), known_.end(), word) != known_.end()) continue;
    refuse_former(node, full(word));
    if (lower(word) == lower(key) || !nearest(word, {key}).empty())
      refuse(node, fmt::format("unknown key '{}'; did you mean '{}'?", printable(full(word)), key));
  }
  refuse_table(what);
}

std::optional<bool> TableReader::flag(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<bool>();
  if (!value) refuse(*node, fmt::format("'{}' must be true or false", full(key)));
  return *value;
}

std::optional<std::vector<double>> TableReader::numbers(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  std::vector<double> values;
  if (const toml::array* list = node->as_array())
    for (const toml::node& element : *list) values.push_back(number_of(element, key));
  else
    values.push_back(number_of(*node, key));
  for (const double value : values)
    if (!std::isfinite(value)) refuse(*node, fmt::format("'{}' must hold finite numbers", full(key)));
  return values;
}

std::optional<double> TableReader::number(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  return number_of(*node, key);
}

std::optional<std::int64_t> TableReader::whole(const char* key, std::int64_t low, std::int64_t high) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < low || *value > high)
    refuse(*node, fmt::format("'{}' must be a whole number from {} to {}", full(key), low, high));
  return *value;
}

std::optional<std::pair<double, double>> TableReader::interval(const char* key, bool infinite) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const toml::array* list = node->as_array();
  if (!list || list->size() != 2) refuse(*node, fmt::format("'{}' must be two numbers, [low, high]", full(key)));
  const double low = number_of(*list->get(0), key), high = number_of(*list->get(1), key);
  if (!(low < high) || (!infinite && !(std::isfinite(low) && std::isfinite(high))))
    refuse(*node, fmt::format("'{}' must be two {}numbers, of which the first is the lower", full(key),
                              infinite ? "" : "finite "));
  return std::pair(low, high);
}

std::optional<std::vector<std::string>> TableReader::texts(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const toml::array* list = node->as_array();
  std::vector<std::string> values;
  if (list)
    for (const toml::node& element : *list)
      if (const auto value = element.value_exact<std::string>()) values.push_back(*value);
  if (!list || list->empty() || values.size() != list->size())
    refuse(*node, fmt::format("'{}' must be a list of texts in quotes, at least one", full(key)));
  return values;
}

std::optional<std::vector<std::int64_t>> TableReader::wholes(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const toml::array* list = node->as_array();
  std::vector<std::int64_t> values;
  if (list)
    for (const toml::node& element : *list)
      if (const auto value = element.value_exact<std::int64_t>(); value && *value >= 1) values.push_back(*value);
  if (!list || list->empty() || values.size() != list->size())
    refuse(*node, fmt::format("'{}' must be a list of whole numbers above 0", full(key)));
  return values;
}

void TableReader::finish() const {
  for (const auto& [key, node] : table_) {
    const std::string word(key.str());
    if (std::find(known_.begin(), known_.end(), word) != known_.end()) continue;
    refuse_former(node, full(word));
    const std::string near = nearest(word, known_);
    refuse(node, fmt::format("unknown key '{}'; {}", printable(full(word)),
                             near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                          : fmt::format("did you mean '{}'?", near)));
  }
}

double TableReader::number_of(const toml::node& node, const char* key) const {
  std::optional<double> value = node.value_exact<double>();
  if (const auto whole = node.value_exact<std::int64_t>()) value = static_cast<double>(*whole);
  if (!value || std::isnan(*value)) refuse(node, fmt::format("'{}' must be a number", full(key)));
  return *value;
}

}  // namespace pairs
