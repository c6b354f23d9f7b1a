#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "core/base/numbers/random.h"

namespace pairs {

// The visible part of a cropped image: rows top to top + height - 1, columns left to left + width - 1.
struct CropWindow {
  std::int64_t top, left, height, width;
  bool operator==(const CropWindow&) const = default;
};

// The visible share of each side, uniform in [least, most] and independent by side, 0 < least <= most <= 1.
struct CropRange {
  double least = 0.35, most = 0.5;
};

// The window of observation `item` of set `index` in images of side by side pixels: each side's share rounded to whole
// pixels (at least one), its place uniform within the image. Reads four numbers of the stream, which may have been used
// before. Throws Error for invalid ranges.
CropWindow draw_crop(Stream& stream, std::int64_t side, const CropRange& range = {});
CropWindow draw_crop(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item, std::int64_t side,
                     const CropRange& range = {});

// Crops images [M, C, side, side] uint8 on the CPU, with a window each; returns [M, C, side, side] float32: value / 255
// within the window, gray (1/2) outside. Throws Error for another type or shape, and for windows beyond the image.
torch::Tensor crop_images(const torch::Tensor& images, std::span<const CropWindow> windows);

}  // namespace pairs
