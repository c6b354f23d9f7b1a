#include "app/common/png_folder.h"

#include <png.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"

namespace pairs {
namespace {

// Frees what libpng's simplified reader holds, however the scope ends.
struct PngImage : png_image {
  PngImage() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
};

std::vector<std::uint8_t> read_rgb(const std::filesystem::path& file, std::int64_t height, std::int64_t width) {
  PngImage image;
  PAIRS_CHECK(png_image_begin_read_from_file(&image, file.c_str()),
              "The image {} cannot be read ({}); save it again as PNG", file.string(), image.message);
  PAIRS_CHECK(image.height == height && image.width == width,
              "The image {} is {} x {} pixels but the task needs {} x {}; resize it", file.string(), image.width,
              image.height, width, height);
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_LINEAR) == 0, "The image {} has 16 bits a channel; save it with 8",
              file.string());
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_ALPHA) == 0,
              "The image {} has transparency; save it without an alpha channel", file.string());
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  const int ok = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr);
  PAIRS_CHECK(ok, "The image {} cannot be read ({}); save it again as PNG", file.string(), image.message);
  return pixels;
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
    const std::vector<std::uint8_t> rgb = read_rgb(files[static_cast<std::size_t>(i)], height, width);
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
