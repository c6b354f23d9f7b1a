#pragma once

#include <initializer_list>

#include "core/base/fields/fields.h"

namespace pairs {

// Applies "key=value" settings to a configuration, whatever kinds of networks read them.
template <class Config>
void set_fields(Config& config, std::initializer_list<std::string_view> assignments) {
  for (const std::string_view assignment : assignments) set_field(fields(config), assignment);
}

}  // namespace pairs
