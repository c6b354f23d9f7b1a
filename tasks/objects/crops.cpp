#include "tasks/objects/crops.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr float crop_fill = 0.5f;

PAIRS_SIMD_CLONES void crop_image(const std::uint8_t* __restrict image, std::int64_t side, const CropWindow& window,
                                  float* __restrict out) {
  for (std::int64_t k = 0; k < side * side; ++k) out[k] = crop_fill;
  for (std::int64_t i = window.top; i < window.top + window.height; ++i) {
    const std::uint8_t* const from = image + i * side + window.left;
    float* const to = out + i * side + window.left;
    for (std::int64_t j = 0; j < window.width; ++j) to[j] = static_cast<float>(from[j]) / 255.0f;
  }
}

}  // namespace

CropWindow draw_crop(Stream& stream, std::int64_t side, const CropRange& range) {
  PAIRS_CHECK(side >= 1 && range.least > 0 && range.least <= range.most && range.most <= 1,
              "A crop cannot show between {} and {} of {} pixels; choose shares in order, above 0 and at most 1",
              range.least, range.most, side);
  const auto length = [&] {
    const double share = range.least + (range.most - range.least) * stream.uniform64();
    return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(side)), 1, side);
  };
  const auto place = [&](std::int64_t length) {
    return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(side - length + 1)));
  };
  CropWindow out;
  out.height = length();
  out.width = length();
  out.top = place(out.height);
  out.left = place(out.width);
  return out;
}

CropWindow draw_crop(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item, std::int64_t side,
                     const CropRange& range) {
  Stream stream(stream_key(seed, purpose), index, item);
  return draw_crop(stream, side, range);
}

torch::Tensor crop_images(const torch::Tensor& images, std::span<const CropWindow> windows) {
  PAIRS_CHECK(images.dim() == 4 && images.size(2) == images.size(3) && images.scalar_type() == torch::kUInt8 &&
                  images.device().is_cpu() && images.size(0) == static_cast<std::int64_t>(windows.size()),
              "Crops need square images of bytes in the computer's memory, and a window for each");
  const std::int64_t count = images.size(0), channels = images.size(1), side = images.size(2), plane = side * side;
  for (const CropWindow& w : windows)
    PAIRS_CHECK(w.top >= 0 && w.left >= 0 && w.height >= 0 && w.width >= 0 && w.top + w.height <= side &&
                    w.left + w.width <= side,
                "A crop of {} x {} pixels at row {}, column {} lies beyond an image of {} a side", w.height, w.width,
                w.top, w.left, side);
  torch::Tensor out = at::empty(images.sizes(), torch::kFloat32);
  const torch::Tensor whole = images.contiguous();
  const auto* from = whole.const_data_ptr<std::uint8_t>();
  auto* to = out.mutable_data_ptr<float>();
  const std::int64_t grain = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, channels * plane));
  at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m)
      for (std::int64_t c = m * channels; c < (m + 1) * channels; ++c)
        crop_image(from + c * plane, side, windows[static_cast<std::size_t>(m)], to + c * plane);
  });
  return out;
}

}  // namespace pairs
