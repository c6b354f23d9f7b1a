#pragma once

#include <cstdint>
#include <string>

#include "core/base/fields/settings_by_type.h"

namespace pairs {

// The kind of network that embeds one observation, and the settings of each kind: of<Cnn::Settings>().
struct EmbedderConfig : SettingsByType {
  std::string kind = "mlp";  // EmbedderKind::name
  std::int64_t size = 128;   // l, the length of an embedding
};

}  // namespace pairs
