#include "app/common/png_folder.h"

#include <algorithm>
#include <vector>

#include "app/common/png_image.h"
#include "core/base/error.h"

namespace pairs {
namespace {

std::vector<std::uint8_t> read_pixels(const std::filesystem::path& file, std::int64_t height, std::int64_t width) {
  return read_png(file, [&](const PngHead& head) {
    PAIRS_CHECK(head.height == height && head.width == width,
                "The image {} is {} x {} pixels but the task needs {} x {}; resize it", file.string(), head.width,
                head.height, width, height);
  });
}

}  // namespace

torch::Tensor read_png_folder(const std::filesystem::path& folder, std::int64_t channels, std::int64_t height,
                              std::int64_t width) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && (entry.path().extension() == ".png" || entry.path().extension() == ".PNG"))
      files.push_back(entry.path());
  PAIRS_CHECK(!files.empty(), "The folder {} holds no .png file; give a folder with one image an observation",
              folder.string());
  std::sort(files.begin(), files.end());
  const auto count = static_cast<std::int64_t>(files.size());
  torch::Tensor x = torch::empty({count, channels, height, width}, torch::kFloat32);
  float* out = x.data_ptr<float>();
  const std::int64_t area = height * width;
  for (std::int64_t i = 0; i < count; ++i, out += channels * area) {
    const std::vector<std::uint8_t> rgb = read_pixels(files[static_cast<std::size_t>(i)], height, width);
    for (std::int64_t p = 0; p < area; ++p) {
      const std::uint8_t* pixel = rgb.data() + 3 * p;
      if (channels == 3) {
        for (std::int64_t c = 0; c < 3; ++c) out[c * area + p] = static_cast<float>(pixel[c]) / 255.0f;
      } else {
        const bool grey = pixel[0] == pixel[1] && pixel[1] == pixel[2];
        const float luminance = grey ? static_cast<float>(pixel[0])
                                     : 0.299f * static_cast<float>(pixel[0]) + 0.587f * static_cast<float>(pixel[1]) +
                                           0.114f * static_cast<float>(pixel[2]);
        out[p] = luminance / 255.0f;
      }
    }
  }
  return x;
}

}  // namespace pairs
