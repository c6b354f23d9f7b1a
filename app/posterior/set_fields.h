#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/posterior/set_choice.h"
#include "core/base/table_reader.h"

namespace pairs {

// A field of a SetChoice. Every place that names sets goes through the list of them, so that none of these forgets one:
// options of commands (app/batch/set_options.h), copied commands (set_arguments.h), sessions, and the window's
// settings.
struct SetField {
  // Which sets have it: simulated ones, those of a person's own (a file, a folder, a thing), or both.
  enum class Of { simulated, own, both };
  using Member = std::variant<std::int64_t SetChoice::*, std::uint64_t SetChoice::*, std::vector<double> SetChoice::*,
                              std::filesystem::path SetChoice::*, std::optional<std::uint64_t> SetChoice::*,
                              std::vector<std::string> SetChoice::*, std::string SetChoice::*, Missing SetChoice::*,
                              std::optional<render::Camera> SetChoice::*>;

  const char* key;     // in sessions and settings
  const char* option;  // of commands, behind "--"
  Member member;
  Of of;
  const char* type;  // what its option takes: "NAME,..."
  const char* help;  // of its option
};
// All of them, in the order in which commands name them.
const std::vector<SetField>& set_fields();
const SetField& set_field(const std::string& option);

// The value as its option takes it; none where it is as usual.
std::optional<std::string> field_words(const SetField& field, const SetChoice& set);
// The other way round. Throws a usage Error that names the option.
void read_field_words(const SetField& field, const std::string& words, SetChoice& set);

// The set as lines of TOML, "key = value"; of own sets and simulated ones what differs from the usual.
std::string set_toml(const SetChoice& set);
// The other way round, without finish(). Throws a usage Error that names file and line.
SetChoice read_set_toml(TableReader& reader);

// Whether every text of the set is UTF-8, which TOML needs.
bool is_utf8(const SetChoice& set);

}  // namespace pairs
