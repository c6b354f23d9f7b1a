#pragma once

#include <cmath>

#include "core/base/numbers/random.h"  // PAIRS_HOST_DEVICE

namespace pairs::render {

// An orthographic camera that looks at the scene's center (the origin) from a direction in radians: elevation above the
// plane z = 0, azimuth from the x axis towards the y axis. z is up.
struct Camera {
  double azimuth = 0, elevation = 0;
};

// Unit vectors of a view: `right` and `up` span the image, `forward` is the viewing direction.
struct CameraBasis {
  double right[3], up[3], forward[3];
};

// The direction with that azimuth and elevation, towards a camera or a light.
PAIRS_HOST_DEVICE inline void direction_of(double azimuth, double elevation, double out[3]) {
  out[0] = std::cos(elevation) * std::cos(azimuth);
  out[1] = std::cos(elevation) * std::sin(azimuth);
  out[2] = std::sin(elevation);
}

// Also defined at the poles, where `up` is the limit along the meridian.
PAIRS_HOST_DEVICE inline CameraBasis camera_basis(double azimuth, double elevation) {
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
  return {{-sa, ca, 0.0}, {-se * ca, -se * sa, ce}, {-ce * ca, -ce * sa, -se}};
}

PAIRS_HOST_DEVICE inline double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The center of column j of `width`, and of row i of `height` (0 at the top), on the image plane in units of half its
// width: columns run from -1 to 1, rows from height/width down to -height/width.
PAIRS_HOST_DEVICE inline double column_middle(double j, double width) {
  return (2.0 * j + 1.0) / width - 1.0;
}
PAIRS_HOST_DEVICE inline double row_middle(double i, double height, double width) {
  return (height - (2.0 * i + 1.0)) / width;
}

}  // namespace pairs::render
