#include "app/kinds/image/image_plot.h"

#include <cmath>

#include "app/kinds/thumbnail.h"

namespace pairs {
namespace {

// As many whole images as fit, two rows of them where they are small.
void draw_grid(Thumbnail& picture, const torch::Tensor& x, int columns, int rows, int cell) {
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  const std::uint8_t* data = bytes.data_ptr<std::uint8_t>();
  const int left = (kThumbnailWidth - columns * cell) / 2, above = (kThumbnailHeight - rows * cell) / 2;
  for (int k = 0; k < columns * rows; ++k)
    for (int y = 0; y < cell - 2; ++y)
      for (int px = 0; px < cell - 2; ++px) {
        const std::int64_t row = y * height / (cell - 2), col = px * width / (cell - 2);
        std::uint8_t* pixel = picture.rgba.data() + 4 * ((above + k / columns * cell + 1 + y) * kThumbnailWidth + left +
                                                         k % columns * cell + 1 + px);
        for (std::int64_t c = 0; c < 3; ++c)
          pixel[c] = data[((k * channels + (channels >= 3 ? c : 0)) * height + row) * width + col];
        pixel[3] = 255;
      }
}

}  // namespace

// Rows of images side by side, one point apart. A last row that is not full is a picture of its own.
Plot image_sheet(const torch::Tensor& x) {
  constexpr std::int64_t kGap = 1;
  const std::int64_t count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(1.2 * static_cast<double>(count))));
  const std::int64_t rows = (count + columns - 1) / columns;
  // Channels beyond the colours are not shown.
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::uint8_t* data = bytes.const_data_ptr<std::uint8_t>();
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, static_cast<double>(columns)};
  plot.y = {"", AxisScale::linear, 0, static_cast<double>(rows)};
  const auto add = [&](std::int64_t first, std::int64_t wide, std::int64_t tall, double top) {
    Picture picture;
    picture.width = wide * (width + kGap);
    picture.height = tall * (height + kGap);
    picture.rgb.assign(static_cast<std::size_t>(3 * picture.width * picture.height), 140);
    for (std::int64_t k = 0; k < wide * tall; ++k)
      for (std::int64_t row = 0; row < height; ++row)
        for (std::int64_t col = 0; col < width; ++col)
          for (std::int64_t c = 0; c < 3; ++c) {
            const std::int64_t out_row = k / wide * (height + kGap) + row, out_col = k % wide * (width + kGap) + col;
            picture.rgb[static_cast<std::size_t>(3 * (out_row * picture.width + out_col) + c)] =
                data[(((first + k) * channels + (channels >= 3 ? c : 0)) * height + row) * width + col];
          }
    picture.x1 = static_cast<double>(wide);
    picture.y0 = top - static_cast<double>(tall);
    picture.y1 = top;
    plot.pictures.push_back(std::move(picture));
  };
  const std::int64_t full = count / columns, rest = count % columns;
  if (full > 0) add(0, columns, full, static_cast<double>(rows));
  if (rest > 0) add(full * columns, rest, 1, static_cast<double>(rows - full));
  return plot;
}

Thumbnail image_thumbnail(const torch::Tensor& x) {
  constexpr int kCell = 32;
  constexpr int columns = kThumbnailWidth / kCell, rows = kThumbnailHeight / kCell;
  static_assert(columns * rows == kThumbnailImages);
  Thumbnail picture = blank_thumbnail(false);
  draw_grid(picture, x, columns, rows, kCell);
  return picture;
}

}  // namespace pairs
