#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "core/base/random.h"

namespace pairs {

// What a crop leaves of an image: rows top to top + height - 1, columns left to left + width - 1.
struct CropWindow {
  std::int64_t top, left, height, width;
  bool operator==(const CropWindow&) const = default;
};

// Shares of each side that a crop shows, uniform in [least, most] and independent by side, 0 < least <= most <= 1.
struct CropRange {
  double least = 0.35, most = 0.5;
};

// The window of observation `item` of set `index` in images of side by side pixels: each side's share rounded to whole
// pixels (one at least), its place uniform among those within the image. Reads four numbers of the stream, which may
// have drawn before. Throws Error for ranges out of order.
CropWindow draw_crop(Stream& stream, std::int64_t side, const CropRange& range = {});
CropWindow draw_crop(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item, std::int64_t side,
                     const CropRange& range = {});

// images [M, C, side, side] uint8 on the CPU and a window each; returns [M, C, side, side] float32: value / 255 within
// the window, grey (1/2) outside it. Throws Error for another type or shape, and windows beyond the image.
torch::Tensor crop_images(const torch::Tensor& images, std::span<const CropWindow> windows);

}  // namespace pairs
