#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pairs {

// One setting of a configuration: a dotted key bound to a member, its help text and its legal values.
struct Field {
  static constexpr double kLowest = -1e300, kHighest = 1e300;
  using Slot =
      std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::int64_t>*, std::vector<double>*>;
  std::string key;
  Slot slot;
  std::string help;
  double low = kLowest, high = kHighest;  // numbers, and elements of number lists, must lie within
  std::vector<std::string> choices = {};  // strings must be one of these when not empty
  std::string title = {};                 // the readable name of the most important settings; "" for others
  std::vector<Slot> twins = {};           // members of the same type that receive the same values as `slot`
  bool seldom = false;                    // rarely needed: files omit it at its default

  // A text that must be one of `choices`.
  static Field choice(std::string key, std::string* slot, std::string help, std::vector<std::string> choices) {
    return {std::move(key), slot, std::move(help), kLowest, kHighest, std::move(choices)};
  }
  // Adds a title.
  Field titled(std::string name) && {
    title = std::move(name);
    return std::move(*this);
  }
  // Lets files omit the field at its default.
  Field rarely_shown() && {
    seldom = true;
    return std::move(*this);
  }
};

// Adds the settings `own` of one of several kinds to those of the other kinds under `table`. A key that two kinds share
// appears once and is bound to both; its help and bounds are those of the kind `in_use`.
void add_kind(std::vector<Field>& all, const std::string& table, std::vector<Field> own, bool in_use);

// Reads TOML text into the fields (tables and dotted keys alike); fields that it does not name keep their values. An
// unknown key, a wrong type or a value out of range is a usage Error that names `where`, the line and, for keys, the
// nearest known one; then no field changes. Integers are accepted where a double is expected. If `table` is not empty
// (e.g. "config"), the keys are read from that table, which must exist, and everything outside it is ignored. Returns
// the keys that the text holds.
std::vector<std::string> read_toml(std::string_view text, const std::vector<Field>& fields, const std::string& where,
                                   const std::string& table = "");
void read_toml_file(const std::filesystem::path& file, const std::vector<Field>& fields, const std::string& table = "");

// The text at a dotted key, "" if there is none; ignores everything else in the TOML text. Throws a usage Error that
// names `where` if it is not TOML.
std::string find_toml_text(std::string_view text, const std::string& key, const std::string& where);

// The key of "key=value".
std::string assigned_key(std::string_view assignment);
// Applies one "key=value". The value is in TOML syntax, but a string needs no quotes and a list no brackets ("1,2"; one
// number is a list of one). Throws usage Errors as read_toml does.
void set_field(const std::vector<Field>& fields, std::string_view assignment);

// Writes the fields as TOML: first the keys outside any table, then the tables in order of first appearance. Reading it
// back gives the same values (doubles exactly). Throws Error if a string is not UTF-8.
std::string write_toml(const std::vector<Field>& fields, const std::string& table = "");

// The candidate nearest to `word` by edit distance, or empty if none is within a third of the word's length (at
// least 2).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// A field's value as text, as write_toml would write it.
std::string field_text(const Field& field);

}  // namespace pairs
