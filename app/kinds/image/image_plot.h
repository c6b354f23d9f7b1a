#pragma once

#include <torch/types.h>

#include "app/kinds/observation_room.h"

namespace pairs {

// Images x [M, channels, height, width] as a sheet of rows side by side.
Plot image_sheet(const torch::Tensor& x);

// The first images as a small grid.
Thumbnail image_thumbnail(const torch::Tensor& x);
// How many images that holds.
inline constexpr std::int64_t kThumbnailImages = 6;

}  // namespace pairs
