#include "tests/render/digit_warp_reference.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <numbers>

#include "core/base/numbers/random.h"

namespace pairs::render {

torch::Tensor warp_digits_reference(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                                    const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                                    std::uint64_t key) {
  const std::int64_t height = images.size(1), width = images.size(2), count = pick.size(0);
  torch::Tensor out = at::empty({count, 1, height, width}, torch::kFloat64);
  const auto image = images.accessor<std::uint8_t, 3>();
  auto value = out.accessor<double, 4>();
  for (std::int64_t m = 0; m < count; ++m) {
    const std::int64_t k = pick[m].item<std::int64_t>();
    const auto pixel = [&](std::int64_t row, std::int64_t column) {
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      return inside ? image[k][row][column] / 255.0 : 0.0;
    };
    const double a = angle[m].item<float>(), s = sigma[m].item<float>();
    Stream stream(key, static_cast<std::uint64_t>(set[m].item<std::int64_t>()),
                  static_cast<std::uint64_t>(item[m].item<std::int64_t>()));
    double second = 0.0;
    for (std::int64_t p = 0; p < height * width; ++p) {
      const std::int64_t row = p / width, column = p % width;
      // Content that turns counter-clockwise as seen (rows grow downwards): look back along the clockwise rotation.
      const double dx = static_cast<double>(column) - 0.5 * static_cast<double>(width - 1);
      const double dy = static_cast<double>(row) - 0.5 * static_cast<double>(height - 1);
      const double x = 0.5 * static_cast<double>(width - 1) + std::cos(a) * dx - std::sin(a) * dy;
      const double y = 0.5 * static_cast<double>(height - 1) + std::sin(a) * dx + std::cos(a) * dy;
      const double left = std::floor(x), top = std::floor(y), fx = x - left, fy = y - top;
      const auto i = static_cast<std::int64_t>(top), j = static_cast<std::int64_t>(left);
      const double bilinear = (1 - fy) * ((1 - fx) * pixel(i, j) + fx * pixel(i, j + 1)) +
                              fy * ((1 - fx) * pixel(i + 1, j) + fx * pixel(i + 1, j + 1));
      double noise = second;
      if (p % 2 == 0) {
        const double u = static_cast<double>(stream.bits() >> 1) * 0x1p-31 + 0x1p-32;
        const double turn = stream.bits() * (2.0 * std::numbers::pi * 0x1p-32), r = std::sqrt(-2.0 * std::log(u));
        noise = r * std::cos(turn);
        second = r * std::sin(turn);
      }
      value[m][0][row][column] = bilinear + s * noise;
    }
  }
  return out;
}

}  // namespace pairs::render
