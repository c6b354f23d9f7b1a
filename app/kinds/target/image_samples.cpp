#include "app/kinds/target/image_samples.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/target/heat_map.h"
#include "core/base/text/error.h"
#include "core/report/png.h"
#include "render/scene_picture.h"

namespace pairs {
namespace {

constexpr std::int64_t kPictureSide = 256, kTileSide = 128, kTileGap = 4, kMostTiles = 64;
constexpr float kPaper = 1;  // between tiles

// [C, H, W] -> [3, k H, k W] with the k >= 1 for which the longer side is closest to `side` from below.
torch::Tensor enlarged(const torch::Tensor& image, std::int64_t side) {
  const std::int64_t k = std::max<std::int64_t>(1, side / std::max(image.size(1), image.size(2)));
  return image.expand({3, -1, -1}).repeat_interleave(k, 1).repeat_interleave(k, 2);
}

std::string png_of(const torch::Tensor& picture) {
  return chart::encode_png(picture.size(2), picture.size(1), rgb_bytes(picture));
}

// shares [H, W] in the colors of heat_color, [3, H, W].
torch::Tensor heat_image(const torch::Tensor& shares) {
  const torch::Tensor from = shares.to(torch::kFloat64).contiguous();
  torch::Tensor out = at::empty({3, shares.size(0), shares.size(1)}, torch::kFloat32);
  const auto* share = from.const_data_ptr<double>();
  auto* pixel = out.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < from.numel(); ++i)
    for (std::int64_t c = 0; c < 3; ++c)
      pixel[c * from.numel() + i] = static_cast<float>(heat_color(share[i])[static_cast<std::size_t>(c)]) / 255.0f;
  return out;
}

torch::Tensor tiles(const torch::Tensor& images) {
  const std::int64_t count = std::min(images.size(0), kMostTiles);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::int64_t rows = (count + columns - 1) / columns;
  torch::Tensor sheet;
  for (std::int64_t k = 0; k < count; ++k) {
    const torch::Tensor tile = enlarged(images[k], kTileSide);
    const std::int64_t tall = tile.size(1), wide = tile.size(2);
    if (k == 0)
      sheet = at::full({3, rows * (tall + kTileGap) - kTileGap, columns * (wide + kTileGap) - kTileGap}, kPaper,
                       torch::kFloat32);
    sheet.narrow(1, k / columns * (tall + kTileGap), tall).narrow(2, k % columns * (wide + kTileGap), wide).copy_(tile);
  }
  return sheet;
}

torch::Tensor in_unit_range(const torch::Tensor& images, const ImageTarget& image) {
  return (images.to(torch::kFloat64) - image.low) / (image.high - image.low);
}

}  // namespace

std::string image_picture(const torch::Tensor& shown, const ImageTarget& image) {
  return png_of(enlarged(in_unit_range(shown, image), kPictureSide));
}

std::map<std::string, std::string> image_sample_pictures(const torch::Tensor& samples, const ImageTarget& image) {
  PAIRS_CHECK(samples.dim() == 4 && samples.size(0) >= 2 && (samples.size(1) == 1 || samples.size(1) == 3),
              "Pictures of samples need two or more images of one or three channels");
  const torch::Tensor shown = in_unit_range(samples, image);
  const torch::Tensor spread = shown.var(0).mean(0).sqrt() / kBrightestSpread;
  return {{"mean.png", image_picture(samples.to(torch::kFloat64).mean(0), image)},
          {"sd.png", png_of(enlarged(heat_image(spread), kPictureSide))},
          {"samples.png", png_of(tiles(shown))}};
}

}  // namespace pairs
