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

// What a set is, which is known once its task is (app/posterior/set/set_kind.h): simulated, read as observations (from
// a table, an array or images), a folder of views of a scene, or made from an item (tasks/parts/items.h).
enum class SetKind : unsigned { simulated = 1, observations = 2, views = 4, item = 8 };

// A field of a SetChoice. All code that names sets uses this list, so that no field is forgotten: options of commands
// (app/batch/parts/set_options.h), copied commands (set_arguments.h), sessions, and the window's settings.
struct SetField {
  using Member = std::variant<std::int64_t SetChoice::*, std::uint64_t SetChoice::*, std::vector<double> SetChoice::*,
                              std::filesystem::path SetChoice::*, std::optional<std::uint64_t> SetChoice::*,
                              std::vector<std::string> SetChoice::*, std::string SetChoice::*, Missing SetChoice::*,
                              std::optional<render::Camera> SetChoice::*>;

  const char* key;     // in sessions and settings
  const char* option;  // of commands, after "--"
  Member member;
  unsigned kinds;    // the kinds of sets that have it, of SetKind
  const char* type;  // what its option takes: "NAME,..."
  const char* help;  // of its option

  bool of(SetKind kind) const { return (kinds & static_cast<unsigned>(kind)) != 0; }
  // Whether sets of the user's own have it.
  bool own() const { return (kinds & ~static_cast<unsigned>(SetKind::simulated)) != 0; }
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
