#include "app/kinds/thumbnail.h"

#include <algorithm>
#include <cmath>

namespace pairs {

Thumbnail blank_thumbnail(bool mask) {
  return {kThumbnailWidth, kThumbnailHeight, mask,
          std::vector<std::uint8_t>(4 * static_cast<std::size_t>(kThumbnailWidth * kThumbnailHeight), 0)};
}

Thumbnail draw_thumbnail(const Task& task) {
  return room_of(task.info()).thumbnail(task);
}

ThumbnailSample thumbnail_sample(const Task& task, std::int64_t count) {
  constexpr std::uint64_t kSeed = 1;
  const std::int64_t index = 0;
  const Latents latents = task.latents(kSeed, Purpose::explore, {&index, 1});
  const SetRange range{index, 0, count};
  return {latents, task.observe(latents, kSeed, Purpose::explore, {&range, 1}, torch::kCPU)};
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

}  // namespace pairs
