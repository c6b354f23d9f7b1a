#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::render::kernels {

// Device pointers of `count` digits to warp (see digit_warp.h).
struct Digits {
  const std::uint8_t* pixel;  // [kinds, height, width]
  std::int64_t kinds;
  int height, width;
  const std::int64_t* pick;    // [count] each
  const float *angle, *sigma;  // radians; sd of the noise
  const std::int64_t *set, *item;
  std::uint64_t key;
  std::int64_t count;
};

// out[count, height, width], launched on a stream of the current device.
void warp(const Digits& digits, float* out, cudaStream_t stream);

}  // namespace pairs::render::kernels
