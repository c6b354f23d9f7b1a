#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::render::kernels {

// Device pointers of images of circles to draw (see circle_raster.h).
struct Circles {
  const float* circle;  // [images, count, 3]: x, y, radius
  std::int64_t images;
  int count, height, width;
  float reach, most;  // black beyond this distance from the middle of a line; the value in its middle
};

// out[images, height, width], launched on a stream of the current device.
void draw(const Circles& circles, float* out, cudaStream_t stream);

}  // namespace pairs::render::kernels
