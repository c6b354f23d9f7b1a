#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "tasks/parts/bodies.h"

namespace pairs {

// Pictures [bodies, 3, side, side] float32 in [0, 1] of bodies in parallel projection, z up, all at one scale, each
// about the middle of its own bounds: balls, sticks and surfaces shaded by a light at the viewer's upper left, surfaces
// flatly and from both sides, on light grey. A body of nothing is a picture of the background. Throws Error where a
// face names a corner that is not there, or a number is not finite.
torch::Tensor body_pictures(const std::vector<Body>& bodies, std::int64_t side, const BodyView& view = {});

// A picture [3, side, side] like those of strokes and words in the plane, as large as fits. `drawing` is not empty.
torch::Tensor plane_picture(const PlaneDrawing& drawing, std::int64_t side);

}  // namespace pairs
