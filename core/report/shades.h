#pragma once

#include "core/report/figure.h"

// Several runs with one strategy share its hue and differ in shade.
namespace pairs {

// `role` in its shade number `shade`: 0 is the role's own color. A shaded role compares as a different role. Exact and
// naive posteriors, truths and series without a strategy have only one shade.
SeriesRole shaded(SeriesRole role, int shade);
// The role that was passed to shaded().
SeriesRole base_role(SeriesRole role);
int shade_of(SeriesRole role);

// The number of distinct shades of a role; higher numbers repeat them.
inline constexpr int kShades = 5;

}  // namespace pairs
