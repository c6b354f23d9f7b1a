#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/posterior/question/set_choice.h"
#include "core/base/fields/table_reader.h"

namespace pairs {

// A field of a SetChoice. All code that names sets uses this list, so that no field is forgotten: options of commands
// (app/batch/parts/set_options.h), copied commands (set_arguments.h), sessions, and the window's settings.
struct SetField {
  // The sets that have it: simulated ones, the user's own (a file, a folder, an item), or both.
  enum class Of { simulated, own, both };
  using Member = std::variant<std::int64_t SetChoice::*, std::uint64_t SetChoice::*, std::vector<double> SetChoice::*,
                              std::filesystem::path SetChoice::*, std::optional<std::uint64_t> SetChoice::*,
                              std::vector<std::string> SetChoice::*, std::string SetChoice::*, Missing SetChoice::*,
                              std::optional<render::Camera> SetChoice::*>;

  const char* key;     // in sessions and settings
  const char* option;  // of commands, after "--"
  Member member;
  Of of;
  const char* type;  // what its option takes: "NAME,..."
  const char* help;  // of its option
};
// All fields, in the order of command lines.
const std::vector<SetField>& set_fields();
const SetField& set_field(const std::string& option);

// The value as its option's argument; none for the default.
std::optional<std::string> field_words(const SetField& field, const SetChoice& set);
// Parses such an argument. Throws a usage Error that names the option.
void read_field_words(const SetField& field, const std::string& words, SetChoice& set);

// The set as lines of TOML, "key = value", without defaults.
std::string set_toml(const SetChoice& set);
// Parses such lines, without finish(). Throws a usage Error that names file and line.
SetChoice read_set_toml(TableReader& reader);

// Whether every text of the set is UTF-8, as TOML requires.
bool is_utf8(const SetChoice& set);

}  // namespace pairs
