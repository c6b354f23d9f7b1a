#pragma once

#include <string>

#include "core/base/fields/settings_by_type.h"

namespace pairs {

// The kind of density head that models q(θ | context), and the settings of each kind: of<SplineHead::Settings>().
struct HeadConfig : SettingsByType {
  std::string kind = "spline";  // HeadKind::name
};

}  // namespace pairs
