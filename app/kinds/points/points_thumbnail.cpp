#include <algorithm>
#include <cmath>

#include "app/kinds/points/points_plot.h"
#include "app/kinds/thumbnail.h"
#include "core/base/gpu/transfer.h"

namespace pairs {
namespace {

constexpr int kWidth = kThumbnailWidth, kHeight = kThumbnailHeight;

// The central 99 % of the values with some margin.
std::pair<double, double> extent(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 200;
  const double low = values[cut], high = values[values.size() - 1 - cut];
  const double room = high > low ? 0.05 * (high - low) : 0.5;
  return {low - room, high + room};
}

void set_alpha(Thumbnail& picture, int x, int y, double alpha) {
  std::uint8_t* pixel = picture.rgba.data() + 4 * (static_cast<std::ptrdiff_t>(y) * picture.width + x);
  pixel[0] = pixel[1] = pixel[2] = 255;
  pixel[3] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(alpha, 0.0, 1.0)));
}

void draw_histogram(Thumbnail& picture, const std::vector<double>& values) {
  constexpr int kBins = 24, kBin = kWidth / kBins;
  const auto [low, high] = extent(values);
  double heights[kBins] = {};
  for (const double v : values)
    if (const double at = (v - low) / (high - low) * kBins; at >= 0 && at < kBins) ++heights[static_cast<int>(at)];
  const double most = *std::max_element(heights, heights + kBins);
  for (int b = 0; b < kBins; ++b) {
    const double top = heights[b] / std::max(most, 1.0) * (kHeight - 8);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kBin - 1; ++x)
        set_alpha(picture, b * kBin + x, y, std::clamp(top - (kHeight - 4 - 1 - y), 0.0, 1.0) * (y < kHeight - 4));
  }
}

// Counts smoothed by a small kernel, darker where they are higher.
void draw_density(Thumbnail& picture, const std::vector<double>& xs, const std::vector<double>& ys) {
  constexpr int kReach = 4;
  constexpr double kSpread = 1.5;
  const auto [left, right] = extent(xs);
  const auto [bottom, top] = extent(ys);
  std::vector<double> density(kWidth * kHeight);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = (xs[i] - left) / (right - left) * kWidth, y = (top - ys[i]) / (top - bottom) * kHeight;
    const int cx = static_cast<int>(std::floor(x)), cy = static_cast<int>(std::floor(y));
    for (int py = std::max(cy - kReach, 0); py <= std::min(cy + kReach, kHeight - 1); ++py)
      for (int px = std::max(cx - kReach, 0); px <= std::min(cx + kReach, kWidth - 1); ++px) {
        const double dx = px + 0.5 - x, dy = py + 0.5 - y;
        density[static_cast<std::size_t>(py * kWidth + px)] += std::exp(-(dx * dx + dy * dy) / (2 * kSpread * kSpread));
      }
  }
  const double most = *std::max_element(density.begin(), density.end());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      set_alpha(picture, x, y, std::pow(density[static_cast<std::size_t>(y * kWidth + x)] / std::max(most, 1e-9), 0.6));
}

}  // namespace

Thumbnail points_thumbnail(const torch::Tensor& x) {
  Thumbnail picture = blank_thumbnail(true);
  if (x.size(1) == 1)
    draw_histogram(picture, doubles(x.select(1, 0)));
  else
    draw_density(picture, doubles(x.select(1, 0)), doubles(x.select(1, 1)));
  return picture;
}

}  // namespace pairs
