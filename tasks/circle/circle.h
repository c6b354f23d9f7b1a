#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// Settings of Circle Radius that the paper leaves open. Lengths are in pixels of the 64 x 64 image, with the origin in
// a corner and y down.
struct CircleSettings {
  // Centers are uniform on the square [center_low, center_high]^2. The whole image is the range that loses the least:
  // 0.16 % of circles lie outside it (0.6 % with 16 to 48, 1.9 % with 24 to 40, where a radius of 50 around the center
  // reaches beyond the corners), and of 95 % at least a fifth is visible (7 % and 2 %).
  double center_low = 0, center_high = 64;
  // Width of the lines. Two pixels survive the first 2 x 2 pooling in any position and have an edge on both sides,
  // whose gray levels determine the radius to a fraction of a pixel.
  double line = 2;
  std::int64_t distractors = 3;  // circles in addition to the target in each image, from its own prior
  std::vector<Field> fields();
};

// Circle Radius (paper, appendix "Circle Radius"): each x is an image of 64 x 64 pixels with one circle of radius θ ~
// U(15, 50) at the same place ψ in all images of a set, among distractors that are drawn anew for every image with
// centers and radii from the same prior. One image does not identify the target circle; two nearly always do. Images
// have no noise, so the exact posterior for two or more is practically a point: there is no reference to compute, and
// any remaining width is due to the embedding's loss of information. If centers are symmetric in the image, sets may be
// rotated by quarter turns without changing θ or the prior. The task is an Outlines.
std::shared_ptr<const Task> make_circle(const CircleSettings& settings);

}  // namespace pairs
