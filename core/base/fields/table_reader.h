#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pairs {

inline constexpr std::uint64_t kMostTomlBytes = 1u << 20;

// Parses TOML text as a table. Throws a usage error that names `where` and the line.
toml::table parse_toml(std::string_view text, const std::string& where);

// Reads one table of a TOML file: every key is taken once, and keys that were not taken are unknown. `name` is the
// prefix of keys in messages, `where` names the file. A missing key gives nothing; a wrong value throws a usage error
// that names its line.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string name, const std::string& where)
      : table_(table), name_(std::move(name)), where_(where) {}

  const toml::node* find(const char* key);
  // The subtable at the key; null if there is none.
  const toml::table* table(const char* key);
  // The tables of an array [[key]].
  std::vector<const toml::table*> tables(const char* key);

  [[noreturn]] void refuse(const toml::node& node, const std::string& what) const;
  [[noreturn]] void refuse_table(const std::string& what) const { refuse(table_, what); }

  std::optional<std::string> text(const char* key);
  std::string text_or(const char* key, const std::string& other) { return text(key).value_or(other); }
  std::string needed_text(const char* key);

  // Refuses a table that lacks a key; if it holds a key with a similar name, the message names that one.
  [[noreturn]] void refuse_missing(const char* key, const std::string& what) const;

  std::optional<bool> flag(const char* key);
  // Finite numbers: a list, or one number.
  std::optional<std::vector<double>> numbers(const char* key);

  std::optional<double> number(const char* key);
  std::optional<std::int64_t> whole(const char* key, std::int64_t low, std::int64_t high);

  // [low, high] with low < high; either may be infinite if `infinite` is set.
  std::optional<std::pair<double, double>> interval(const char* key, bool infinite);

  std::optional<std::vector<std::string>> texts(const char* key);
  std::optional<std::vector<std::int64_t>> wholes(const char* key);

  // Refuses unknown keys.
  void finish() const;

  std::string full(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

 private:
  // Refuses a key of earlier versions with its present name; returns for others.
  void refuse_former(const toml::node& node, const std::string& key) const;
  double number_of(const toml::node& node, const char* key) const;

  const toml::table& table_;
  std::string name_;
  const std::string& where_;
  std::vector<std::string> known_;
};

}  // namespace pairs
