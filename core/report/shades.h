#pragma once

#include "core/report/figure.h"

// Several runs of one strategy share its hue and differ in shade.
namespace pairs {

// `role` in its shade number `shade`: 0 is the role's own colour. A shaded role is a role of its own wherever roles are
// compared; exact and naive answers, truths and what has no strategy
// come in one shade alone.
SeriesRole shaded(SeriesRole role, int shade);
// What shaded() was given.
SeriesRole base_role(SeriesRole role);
int shade_of(SeriesRole role);

// So many shades of a role differ; after them they begin again.
inline constexpr int kShades = 5;

}  // namespace pairs
