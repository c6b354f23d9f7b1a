#pragma once

#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// A curve on an image in pixels: the image spans [0, width] x [0, height], y down. It is closed if its ends meet, and
// may leave the image.
struct Outline {
  std::vector<double> x, y;
};

// A task whose θ can be drawn on its observations, which are images.
class Outlines {
 public:
  virtual ~Outlines() = default;
  // The outlines, in every image of a set, for targets θ [d] and nuisances ψ [p].
  virtual std::vector<Outline> outlines(std::span<const double> theta, std::span<const double> psi) const = 0;
};

}  // namespace pairs
