#include "app/kinds/image/image_plot.h"

#include <algorithm>
#include <cmath>

#include "app/kinds/thumbnail.h"

namespace pairs {
namespace {

// The points between the images of a sheet, still visible if an image is drawn 24 pixels wide; and the number of images
// per row.
std::int64_t gap_between(std::int64_t height, std::int64_t width) {
  return (std::min(height, width) + 23) / 24;
}
std::int64_t sheet_columns(std::int64_t count) {
  return static_cast<std::int64_t>(std::ceil(std::sqrt(1.2 * static_cast<double>(count))));
}

// As many whole images as fit, in two rows if they are small.
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

// Rows of images side by side. An incomplete last row is a separate picture.
Plot image_sheet(const torch::Tensor& x) {
  const std::int64_t count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const std::int64_t columns = sheet_columns(count);
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t gap = gap_between(height, width);
  // Channels other than colors are not shown.
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::uint8_t* data = bytes.const_data_ptr<std::uint8_t>();
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, static_cast<double>(columns)};
  plot.y = {"", AxisScale::linear, 0, static_cast<double>(rows)};
  const auto add = [&](std::int64_t first, std::int64_t wide, std::int64_t tall, double top) {
    Picture picture;
    picture.width = wide * (width + gap);
    picture.height = tall * (height + gap);
    picture.rgb.assign(static_cast<std::size_t>(3 * picture.width * picture.height), 140);
    for (std::int64_t k = 0; k < wide * tall; ++k)
      for (std::int64_t row = 0; row < height; ++row)
        for (std::int64_t col = 0; col < width; ++col)
          for (std::int64_t c = 0; c < 3; ++c) {
            const std::int64_t out_row = k / wide * (height + gap) + row, out_col = k % wide * (width + gap) + col;
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

void put_next_to(Plot& sheet, const torch::Tensor& picture) {
  constexpr double kRoom = 0.03;  // of the height
  const double high = sheet.y.high;
  const torch::Tensor bytes = (picture * 255).round().to(torch::kUInt8).permute({1, 2, 0}).contiguous();
  Picture added{bytes.size(1), bytes.size(0), {}, -(1 + kRoom) * high, 0, -kRoom * high, high};
  added.rgb.assign(bytes.const_data_ptr<std::uint8_t>(), bytes.const_data_ptr<std::uint8_t>() + bytes.numel());
  sheet.pictures.push_back(std::move(added));
  sheet.x.low = -(1 + kRoom) * high;
}

void draw_over_images(Plot& sheet, std::int64_t count, std::int64_t height, std::int64_t width,
                      const std::vector<ImageCurve>& curves) {
  const std::int64_t columns = sheet_columns(count), rows = (count + columns - 1) / columns;
  const auto wide = static_cast<double>(width), tall = static_cast<double>(height);
  const auto gap = static_cast<double>(gap_between(height, width));
  for (std::int64_t k = 0; k < count; ++k)
    for (const ImageCurve& curve : curves) {
      const auto left = static_cast<double>(k % columns), top = static_cast<double>(rows - k / columns);
      Contour piece{"", curve.role, curve.style, {}, {}};
      const auto end_piece = [&] {
        if (piece.x.size() > 1) sheet.contours.push_back(piece);
        piece.x.clear();
        piece.y.clear();
      };
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double x = curve.x[i], y = curve.y[i];
        if (!(x >= 0 && x <= wide && y >= 0 && y <= tall)) {
          end_piece();
          continue;
        }
        piece.x.push_back(left + x / (wide + gap));
        piece.y.push_back(top - y / (tall + gap));
      }
      end_piece();
    }
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
