#pragma once

#include <cstdint>
#include <string>

#include "core/base/settings_by_type.h"

namespace pairs {

// Which network embeds one observation, and the settings of each kind of network: of<Cnn::Settings>().
struct EmbedderConfig : SettingsByType {
  std::string kind = "mlp";  // EmbedderKind::name
  std::int64_t size = 128;   // l, the length of an embedding
};

}  // namespace pairs
