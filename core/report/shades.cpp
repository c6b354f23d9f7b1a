#include "core/report/shades.h"

#include <algorithm>

namespace pairs {
namespace {

// Shades follow all roles: role + kRoles * shade.
constexpr int kRoles = static_cast<int>(SeriesRole::ghost) + 1;

}  // namespace

SeriesRole shaded(SeriesRole role, int shade) {
  const SeriesRole base = base_role(role);
  if (base == SeriesRole::exact || base == SeriesRole::naive || base == SeriesRole::truth || base == SeriesRole::other)
    return base;
  return static_cast<SeriesRole>(static_cast<int>(base) + kRoles * std::max(shade, 0));
}

SeriesRole base_role(SeriesRole role) {
  return static_cast<SeriesRole>(static_cast<int>(role) % kRoles);
}

int shade_of(SeriesRole role) {
  return static_cast<int>(role) / kRoles;
}

}  // namespace pairs
