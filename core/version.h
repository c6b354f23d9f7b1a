#pragma once

namespace pairs {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace pairs
