#include "app/model/library/thumbnail.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/transfer.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace {

constexpr int kWidth = 96, kHeight = 64;
constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kPoints = 4000;  // more than a set of most tasks has: its density shows better

torch::Tensor observations(const Task& task, std::int64_t count) {
  const std::int64_t index = 0;
  const Latents latents = task.latents(kSeed, Purpose::explore, {&index, 1});
  const SetRange range{index, 0, count};
  return task.observe(latents, kSeed, Purpose::explore, {&range, 1}, torch::kCPU);
}

// The middle 99 % of the values with some room.
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

// Counts smoothed by a small bell, darker where there are more.
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

// As many whole images as fit, two rows of them where they are small.
void draw_grid(Thumbnail& picture, const torch::Tensor& x, int columns, int rows, int cell) {
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  const std::uint8_t* data = bytes.data_ptr<std::uint8_t>();
  const int left = (kWidth - columns * cell) / 2, above = (kHeight - rows * cell) / 2;
  for (int k = 0; k < columns * rows; ++k)
    for (int y = 0; y < cell - 2; ++y)
      for (int px = 0; px < cell - 2; ++px) {
        const std::int64_t row = y * height / (cell - 2), col = px * width / (cell - 2);
        std::uint8_t* pixel = picture.rgba.data() +
                              4 * ((above + k / columns * cell + 1 + y) * kWidth + left + k % columns * cell + 1 + px);
        for (std::int64_t c = 0; c < 3; ++c)
          pixel[c] = data[((k * channels + (channels >= 3 ? c : 0)) * height + row) * width + col];
        pixel[3] = 255;
      }
}

}  // namespace

std::shared_ptr<const Thumbnail> draw_thumbnail(const std::string& name, const std::string& data) {
  const auto task = make_task(name, {data, ""});
  const TaskInfo& info = task->info();
  auto picture = std::make_shared<Thumbnail>();
  picture->width = kWidth;
  picture->height = kHeight;
  picture->mask = info.kind == ObservationKind::points;
  picture->rgba.assign(4 * kWidth * kHeight, 0);
  if (info.kind == ObservationKind::image) {
    constexpr int kCell = 32;
    const int columns = kWidth / kCell, rows = kHeight / kCell;
    draw_grid(*picture, observations(*task, columns * rows), columns, rows, kCell);
    return picture;
  }
  const torch::Tensor x = observations(*task, kPoints).flatten(1);
  if (x.size(1) == 1)
    draw_histogram(*picture, doubles(x.select(1, 0)));
  else
    draw_density(*picture, doubles(x.select(1, 0)), doubles(x.select(1, 1)));
  return picture;
}

Thumbnail resized(const Thumbnail& picture, int width, int height) {
  Thumbnail out{width, height, picture.mask, std::vector<std::uint8_t>(4 * static_cast<std::size_t>(width * height))};
  const double across = static_cast<double>(picture.width) / width, down = static_cast<double>(picture.height) / height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double color[3] = {}, alpha = 0;
      const double left = x * across, right = left + across, top = y * down, bottom = top + down;
      for (int py = static_cast<int>(top); py < std::min<double>(std::ceil(bottom), picture.height); ++py)
        for (int px = static_cast<int>(left); px < std::min<double>(std::ceil(right), picture.width); ++px) {
          const double area = (std::min(px + 1.0, right) - std::max<double>(px, left)) *
                              (std::min(py + 1.0, bottom) - std::max<double>(py, top));
          const std::uint8_t* pixel = picture.rgba.data() + 4 * (py * picture.width + px);
          for (int c = 0; c < 3; ++c) color[c] += area * pixel[3] * pixel[c];
          alpha += area * pixel[3];
        }
      std::uint8_t* pixel = out.rgba.data() + 4 * (y * width + x);
      for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>(std::lround(color[c] / std::max(alpha, 1e-9)));
      pixel[3] = static_cast<std::uint8_t>(std::lround(std::min(alpha / (across * down), 255.0)));
    }
  return out;
}

}  // namespace pairs::model
