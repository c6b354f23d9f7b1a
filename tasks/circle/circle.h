#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// What the paper leaves open of Circle Radius. Lengths are in pixels of the 64 x 64 image, whose corner is the origin,
// y down.
struct CircleSettings {
  // Centres are uniform on the square [center_low, center_high]^2. The whole image is the range that loses least: 0.16
  // % of circles pass outside of it (0.6 % with 16 to 48, 1.9 % with 24 to 40, from whose middle a radius of 50 reaches
  // beyond the corners), and of 95 % at least a fifth is seen (7 % and 2 %).
  double center_low = 0, center_high = 64;
  // Width of the lines. Two pixels survive the first 2 x 2 pooling wherever they lie and have an edge to both sides,
  // whose grey levels tell the radius to a fraction of a pixel.
  double line = 2;
  std::int64_t distractors = 3;  // circles beside the target in each image, from its own prior
  std::vector<Field> fields();
};

// Circle Radius (paper, appendix "Circle Radius"): each x is an image of 64 x 64 pixels on which one circle of radius θ
// ~ U(15, 50) stands, at the same place ψ in all images of a set, among distractors that are drawn anew for every image
// with centres and radii from the same prior. One image does not tell which circle is meant; two nearly always do.
// Images have no noise, so the exact posterior of two or more is practically a point: there is no reference to compute,
// and what remains of a width is what an embedding of few numbers loses. Where centres lie symmetrically in the image,
// sets may be turned by quarters without changing θ or the prior. The task is an
// Outlines.
std::shared_ptr<const Task> make_circle(const CircleSettings& settings);

}  // namespace pairs
