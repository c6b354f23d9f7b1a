#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace pairs {

// Structs of settings, one of each type, each at its defaults until it is changed: what a configuration holds of the
// kinds of networks that it may choose, without knowing them. Copies are independent.
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
  std::map<std::type_index, std::any> held_;  // a place once taken stays, and with it what fields are bound to
};

}  // namespace pairs
