#pragma once

#include <torch/types.h>

#include "app/kinds/observation_room.h"

namespace pairs {

// Images x [M, channels, height, width] as a sheet of rows side by side.
Plot image_sheet(const torch::Tensor& x);

// Puts a picture [3, side, side] to the left of a sheet, with the sheet's height.
void put_next_to(Plot& sheet, const torch::Tensor& picture);

// A curve over all images of a sheet, in pixels of an image, y down; clipped to the image.
struct ImageCurve {
  SeriesRole role = SeriesRole::pairs;
  LineStyle style = LineStyle::solid;
  std::vector<double> x, y;
};
// Draws curves over each image of the sheet that image_sheet made of `count` images of that size.
void draw_over_images(Plot& sheet, std::int64_t count, std::int64_t height, std::int64_t width,
                      const std::vector<ImageCurve>& curves);

// The first images as a small grid.
Thumbnail image_thumbnail(const torch::Tensor& x);
// The number of images in that grid.
inline constexpr std::int64_t kThumbnailImages = 6;

}  // namespace pairs
