#include "app/kinds/image/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/images/image_file.h"

namespace pairs {
namespace {

std::vector<std::uint8_t> read_pixels(const std::filesystem::path& file, std::int64_t height, std::int64_t width) {
  return read_image(file, [&](const ImageHead& head) {
    PAIRS_CHECK(head.height == height && head.width == width,
                "The image {} is {} x {} pixels but the task needs {} x {}; resize it", printable(file.string(), 300),
                head.width, head.height, width, height);
  });
}

}  // namespace

Observed read_image_folder(const std::filesystem::path& folder, std::int64_t channels, std::int64_t height,
                           std::int64_t width, std::int64_t most) {
  std::string left_out;
  const std::vector<std::string> names = image_names(folder, "", left_out);
  PAIRS_CHECK(!names.empty(),
              "The folder {} holds no image (.png, .jpg, .webp, .bmp, .tga, .ppm); give a folder with one image an "
              "observation",
              printable(folder.string(), 300));
  Observed observed;
  observed.held = static_cast<std::int64_t>(names.size());
  if (!left_out.empty()) observed.warnings.push_back(left_out);
  const std::int64_t count = std::min(observed.held, most);
  const torch::Tensor images = torch::empty({count, channels, height, width}, torch::kFloat32);
  observed.x = images;
  float* out = images.data_ptr<float>();
  const std::int64_t area = height * width;
  std::uint8_t brightest = 0;
  for (std::int64_t i = 0; i < count; ++i, out += channels * area) {
    const std::vector<std::uint8_t> rgb = read_pixels(folder / names[static_cast<std::size_t>(i)], height, width);
    if (!rgb.empty()) brightest = std::max(brightest, *std::max_element(rgb.begin(), rgb.end()));
    for (std::int64_t p = 0; p < area; ++p) {
      const std::uint8_t* pixel = rgb.data() + 3 * p;
      if (channels == 3) {
        for (std::int64_t c = 0; c < 3; ++c) out[c * area + p] = static_cast<float>(pixel[c]) / 255.0f;
      } else {
        const bool gray = pixel[0] == pixel[1] && pixel[1] == pixel[2];
        const float luminance = gray ? static_cast<float>(pixel[0])
                                     : 0.299f * static_cast<float>(pixel[0]) + 0.587f * static_cast<float>(pixel[1]) +
                                           0.114f * static_cast<float>(pixel[2]);
        out[p] = luminance / 255.0f;
      }
    }
  }
  // Masks of 0 and 1, which an array of bytes may contain as well.
  if (brightest == 1)
    observed.warnings.push_back(fmt::format(
        "the largest value in the images of {} is 1 of 255, and they are read as nearly black; save masks as 0 "
        "and 255, or as an array of 0 and 1 in an NPZ file",
        printable(folder.string(), 300)));
  return observed;
}

}  // namespace pairs
