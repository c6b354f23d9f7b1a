#include "core/base/fields/fields.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/base/fields/renamed_keys.h"
#include "core/base/fields/table_reader.h"
#include "core/base/fields/toml_guard.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;
// Values are checked first and assigned together, so that an error leaves every field unchanged.
using Assignments = std::vector<std::pair<const Field*, Value>>;

template <class Element>
constexpr const char* number_name = std::is_same_v<Element, double> ? "number" : "whole number";

std::string double_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string string_text(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      text += c;
  }
  return text + '"';
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string text_of(double value) {
  return double_text(value);
}
std::string text_of(const std::string& value) {
  return string_text(value);
}
template <class Element>
std::string text_of(const std::vector<Element>& values) {
  std::vector<std::string> texts;
  for (const Element value : values) texts.push_back(text_of(value));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

// A readable bound: whole numbers without a fraction.
std::string bound_text(double bound) {
  return fmt::format("{}", bound);
}

template <class Number>
void check_range(const Field& field, Number value, const ErrorPlace& place) {
  const double x = static_cast<double>(value);
  if (x >= field.low && x <= field.high) return;
  const bool low = field.low > -1e300, high = field.high < 1e300;
  const std::string range = low && high
                                ? fmt::format("lie between {} and {}", bound_text(field.low), bound_text(field.high))
                            : low  ? fmt::format("be at least {}", bound_text(field.low))
                            : high ? fmt::format("be at most {}", bound_text(field.high))
                                   : std::string("be a finite number");
  fail_usage(place, "'{}' must {}, not {}", SettingKey{field.key}, range, text_of(value));
}

template <class Number>
std::optional<Number> number_of(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) return static_cast<Number>(*whole);
  if constexpr (std::is_same_v<Number, double>) return node.value_exact<double>();
  return std::nullopt;
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return fmt::format("the text '{}'", printable(*node.value_exact<std::string>()));
    case toml::node_type::integer:
      return fmt::format("{}", *node.value_exact<std::int64_t>());
    case toml::node_type::floating_point:
      return double_text(*node.value_exact<double>());
    case toml::node_type::boolean:
      return *node.value_exact<bool>() ? "true" : "false";
    default:
      return "a date or time";
  }
}

[[noreturn]] void fail_type(const Field& field, const char* wanted, const toml::node& node, const ErrorPlace& place) {
  fail_usage(place, "'{}' must be {}, not {}", SettingKey{field.key}, wanted, describe(node));
}

Value convert_scalar(const Field& field, const toml::node& node, const ErrorPlace& place, bool*) {
  if (const auto value = node.value_exact<bool>()) return *value;
  fail_type(field, "true or false", node, place);
}

template <class Number>
Value convert_scalar(const Field& field, const toml::node& node, const ErrorPlace& place, Number*) {
  const auto value = number_of<Number>(node);
  if (!value) fail_type(field, std::is_same_v<Number, double> ? "a number" : "a whole number", node, place);
  check_range(field, *value, place);
  return *value;
}

Value convert_scalar(const Field& field, const toml::node& node, const ErrorPlace& place, std::string*) {
  auto value = node.value_exact<std::string>();
  if (!value) fail_type(field, "a text in quotes", node, place);
  if (!field.choices.empty() && std::find(field.choices.begin(), field.choices.end(), *value) == field.choices.end()) {
    if (const std::string now = present_value(*value); !now.empty())
      fail_usage(place, "'{}' of '{}' is called '{}' now; {}", printable(*value), SettingKey{field.key}, now,
                 kConvertAdvice);
    const std::string near = nearest(*value, field.choices);
    fail_usage(place, "'{}' must be one of {}, not '{}'{}", SettingKey{field.key}, fmt::join(field.choices, ", "),
               printable(*value), near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  return std::move(*value);
}

template <class Element>
Value convert_scalar(const Field& field, const toml::node& node, const ErrorPlace& place, std::vector<Element>*) {
  const toml::array* const list = node.as_array();
  const std::string wanted = fmt::format("a list of {}s", number_name<Element>);
  if (!list) fail_type(field, wanted.c_str(), node, place);
  std::vector<Element> values;
  for (const toml::node& element : *list) {
    const auto value = number_of<Element>(element);
    if (!value)
      fail_usage(place, "'{}' must be {}, but one element is {}", SettingKey{field.key}, wanted, describe(element));
    check_range(field, *value, place);
    values.push_back(*value);
  }
  return values;
}

Value convert(const Field& field, const toml::node& node, const ErrorPlace& place) {
  return std::visit([&](auto* slot) { return convert_scalar(field, node, place, slot); }, field.slot);
}

void assign(Assignments& assignments) {
  for (const auto& [field, value] : assignments) {
    const auto take = [&value = value](auto* slot) { *slot = std::get<std::remove_pointer_t<decltype(slot)>>(value); };
    std::visit(take, field->slot);
    for (const Field::Slot& twin : field->twins) std::visit(take, twin);
  }
}

[[noreturn]] void fail_unknown(const std::string& key, const std::vector<Field>& fields, const ErrorPlace& place) {
  if (const std::string now = present_key(key); !now.empty())
    fail_usage(place, "'{}' is called '{}' now; {}", SettingKey{printable(key)}, now, kConvertAdvice);
  std::vector<std::string> keys, names;
  for (const Field& field : fields) {
    if (field.key.starts_with(key + "."))
      fail_usage(place, "'{}' must be a table: write [{}] and its keys below", printable(key),
                 field.key.substr(0, field.key.rfind('.')));
    keys.push_back(field.key);
    names.push_back(field.key.substr(field.key.rfind('.') + 1));
  }
  std::string near = nearest(key, keys);
  // For a key without its table, or in the wrong one, compares only its last part.
  if (near.empty())
    if (const std::string name = nearest(key.substr(key.rfind('.') + 1), names); !name.empty())
      near = keys[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
  fail_usage(place, "unknown key '{}'; {}", SettingKey{printable(key)},
             near.empty() ? "remove it or look up its name" : fmt::format("did you mean '{}'?", near));
}

ErrorPlace place_of(const std::string& where, const toml::node& node) {
  return ErrorPlace{where, node.source().begin.line};
}

using FieldsByKey = std::unordered_map<std::string_view, const Field*>;

void collect(const toml::table& table, const std::string& prefix, const std::vector<Field>& fields,
             const FieldsByKey& by_key, const std::string& where, Assignments& assignments) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto field = by_key.find(key); field != by_key.end()) {
      assignments.emplace_back(field->second, convert(*field->second, node, place_of(where, node)));
      continue;
    }
    const toml::table* const inner = node.as_table();
    const auto leads = [&, start = key + '.'] {
      return std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.key.starts_with(start); });
    };
    if (!inner || (inner->empty() && !leads())) fail_unknown(key, fields, place_of(where, node));
    collect(*inner, key + '.', fields, by_key, where, assignments);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

// The part of a dotted key before its last dot, "" if there is none.
std::string table_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == key.npos ? "" : key.substr(0, dot);
}

}  // namespace

void add_kind(std::vector<Field>& all, const std::string& table, std::vector<Field> own, bool in_use) {
  for (Field& field : own) {
    field.key = table + "." + field.key;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Field& one) { return one.key == field.key; });
    if (known == all.end()) {
      all.push_back(std::move(field));
      continue;
    }
    PAIRS_CHECK(known->slot.index() == field.slot.index(), "two kinds have a setting {} of different types", field.key);
    if (in_use) std::swap(*known, field);
    known->twins.push_back(field.slot);
    known->twins.insert(known->twins.end(), field.twins.begin(), field.twins.end());
  }
}

std::vector<std::string> read_toml(std::string_view text, const std::vector<Field>& fields, const std::string& where,
                                   const std::string& table) {
  const toml::table root = parse_toml(text, where);
  const toml::table* top = &root;
  if (!table.empty()) {
    top = root.at_path(table).as_table();
    if (!top) fail_usage("{} has no table [{}]; check that it is the right file", where, table);
  }
  FieldsByKey by_key;
  for (const Field& field : fields) by_key.emplace(field.key, &field);
  Assignments assignments;
  collect(*top, "", fields, by_key, where, assignments);
  assign(assignments);
  std::vector<std::string> keys;
  for (const auto& assignment : assignments) keys.push_back(assignment.first->key);
  return keys;
}

void read_toml_file(const std::filesystem::path& file, const std::vector<Field>& fields, const std::string& table) {
  read_toml(read_file(file, kMostTomlBytes), fields, printable(file.string(), 300), table);
}

std::string find_toml_text(std::string_view text, const std::string& key, const std::string& where) {
  return parse_toml(text, where).at_path(key).value_exact<std::string>().value_or("");
}

std::string assigned_key(std::string_view assignment) {
  return std::string(trim(assignment.substr(0, assignment.find('='))));
}

void set_field(const std::vector<Field>& fields, std::string_view assignment) {
  const std::size_t equal = assignment.find('=');
  const std::string key = assigned_key(assignment);
  if (equal == assignment.npos || key.empty()) fail_usage("'{}' is no setting; write key=value", printable(assignment));
  const ErrorPlace place{fmt::format("setting '{}'", printable(assignment))};
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
  if (field == fields.end()) fail_unknown(key, fields, place);

  std::string value(trim(assignment.substr(equal + 1)));
  const bool text = std::holds_alternative<std::string*>(field->slot);
  const bool list = std::holds_alternative<std::vector<std::int64_t>*>(field->slot) ||
                    std::holds_alternative<std::vector<double>*>(field->slot);
  if (text && !value.starts_with('"') && !value.starts_with('\'')) value = string_text(value);
  if (list && !value.starts_with('[')) value = "[" + value + "]";
  toml::table parsed;
  try {
    check_toml_guard(value, place.file);
    parsed = toml::parse("value = " + value);
  } catch (const toml::parse_error&) {
    parsed.clear();
  }
  if (parsed.size() != 1) fail_usage(place, "the value of '{}' cannot be read; write it as in TOML", SettingKey{key});
  Assignments assignments;
  assignments.emplace_back(&*field, convert(*field, *parsed.get("value"), place));
  assign(assignments);
}

std::string field_text(const Field& field) {
  return std::visit([](const auto* slot) { return text_of(*slot); }, field.slot);
}

std::string write_toml(const std::vector<Field>& fields, const std::string& table) {
  std::vector<std::string> tables = {""};
  for (const Field& field : fields)
    if (std::find(tables.begin(), tables.end(), table_of(field.key)) == tables.end())
      tables.push_back(table_of(field.key));
  std::string text;
  for (const std::string& inner : tables) {
    const std::string name = table.empty() || inner.empty() ? table + inner : table + '.' + inner;
    if (!name.empty()) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", name);
    for (const Field& field : fields)
      if (table_of(field.key) == inner)
        text += fmt::format("{} = {}\n", field.key.substr(inner.empty() ? 0 : inner.size() + 1), field_text(field));
  }
  try {
    (void)toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail("the settings cannot be stored as TOML: {}; look for a text that is not UTF-8",
         printable(error.description(), 200));
  }
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    // Levenshtein distance, row by row.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
      }
    }
    // A candidate must share at least one letter in place.
    if (row.back() < best && row.back() < std::max(word.size(), candidate.size())) {
      best = row.back();
      found = candidate;
    }
  }
  return found;
}

}  // namespace pairs
