#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/base/text/error.h"

namespace pairs {

// How a configuration (a SettingsByType that also names the `kind`) exposes the settings of one kind of network:
// Network::Settings as fields whose keys lack their table ("channels"), and the reason, a clause, why a setting has no
// effect given the others; "" if it has one.
template <class Config>
struct KindSettings {
  std::vector<Field> (*fields)(Config& config);
  std::string (*unread_because)(const Config& config, const std::string& key);
};

// Network::Settings has `fields()` and, if some settings disable others, `unread_because(key)`.
template <class Config, class Network>
KindSettings<Config> settings_of() {
  using Settings = typename Network::Settings;
  return {[](Config& config) { return config.template of<Settings>().fields(); },
          [](const Config& config, const std::string& key) -> std::string {
            if constexpr (requires(const Settings& own) { own.unread_because(key); })
              return config.template of<Settings>().unread_because(key);
            else
              return "";
          }};
}

// Finds the kind of that name. Throws a usage Error that lists the known ones: "there is no head of kind …".
template <class Kind>
const Kind& find_kind(const std::vector<Kind>& kinds, const std::string& name, const char* what) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail_usage("there is no {} of kind '{}': use {}", what, name, fmt::join(names, ", "));
}

// The field that selects a kind, "head.kind".
template <class Kind>
Field kind_field(const std::vector<Kind>& kinds, const std::string& table, std::string* kind, const char* help) {
  std::vector<std::string> names;
  for (const Kind& one : kinds) names.emplace_back(one.name);
  return Field::choice(table + ".kind", kind, help, std::move(names));
}

// Adds the settings of all kinds under their table, each key once.
template <class Kind, class Config>
void add_kinds(std::vector<Field>& all, const std::vector<Kind>& kinds, const std::string& table, Config& config) {
  for (const Kind& one : kinds) add_kind(all, table, one.settings.fields(config), one.name == config.kind);
}

// Why the setting `key` ("head.bins") has no effect in this configuration, a clause; "" if it has one.
template <class Kind, class Config>
std::string unread_because(const Kind& kind, const std::string& table, const Config& config, const std::string& key) {
  const std::string name = key.substr(table.size() + 1);
  Config any;
  const std::vector<Field> own = kind.settings.fields(any);
  if (std::none_of(own.begin(), own.end(), [&](const Field& field) { return field.key == name; }))
    return fmt::format("{}.kind is \"{}\"", table, kind.name);
  return kind.settings.unread_because(config, name);
}

}  // namespace pairs
