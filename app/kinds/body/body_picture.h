#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "tasks/parts/bodies.h"

namespace pairs {

// Pictures [bodies, 3, side, side] float32 in [0, 1] of bodies in parallel projection, z up, all at one scale, each
// centered on its own bounds: balls, sticks and surfaces lit from the viewer's upper left, surfaces flat-shaded on both
// sides, on light gray. An empty body yields only the background. Throws Error if a face names a missing vertex, or a
// number is not finite.
torch::Tensor body_pictures(const std::vector<Body>& bodies, std::int64_t side, const BodyView& view = {});

// A similar picture [3, side, side] of strokes and words in the plane, as large as fits. `drawing` is not empty.
torch::Tensor plane_picture(const PlaneDrawing& drawing, std::int64_t side);

}  // namespace pairs
