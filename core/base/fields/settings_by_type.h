#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace pairs {

// Holds structs of settings, one per type, each at its defaults until it is changed: a configuration keeps the settings
// of every kind of network in it without knowing the kinds. Copies are independent.
class SettingsByType {
 public:
  template <class Own>
  Own& of() {
    std::any& held = held_[typeid(Own)];
    if (!held.has_value()) held = Own();
    return *std::any_cast<Own>(&held);
  }
  template <class Own>
  const Own& of() const {
    static const Own defaults;
    const auto at = held_.find(typeid(Own));
    return at == held_.end() ? defaults : *std::any_cast<Own>(&at->second);
  }

 private:
  std::map<std::type_index, std::any> held_;  // an entry never moves, so that fields can be bound to it
};

}  // namespace pairs
