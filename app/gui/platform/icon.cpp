#include "app/gui/platform/icon.h"

#include <algorithm>
#include <cmath>

namespace pairs::gui {
namespace {

struct Color {
  double r, g, b;
};
constexpr Color kBack = {20, 23, 28}, kCurve = {86, 180, 233}, kPoint = {230, 159, 0};

double smooth(double distance) {  // coverage of a pixel at this distance, in pixels, inside an edge
  return std::clamp(0.5 - distance, 0.0, 1.0);
}

}  // namespace

std::vector<std::uint8_t> icon_pixels(int side) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(4 * side * side));
  const double s = side / 64.0;
  const auto curve = [](double x) { return 48 - 34 * std::exp(-0.5 * std::pow((x - 32) / 7.5, 2)); };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const double x = (column + 0.5) / s, y = (row + 0.5) / s;
      const double dx = std::max(std::abs(x - 32) - 20, 0.0), dy = std::max(std::abs(y - 32) - 20, 0.0);
      const double alpha = smooth((std::hypot(dx, dy) - 12) * s);
      Color color = kBack;
      const auto over = [&](const Color& c, double share) {
        color = {color.r + share * (c.r - color.r), color.g + share * (c.g - color.g),
                 color.b + share * (c.b - color.b)};
      };
      const double slope = (curve(x + 0.5) - curve(x - 0.5));
      over(kCurve, 0.25 * smooth((curve(x) - y) * s) * smooth((y - 48) * s));
      over(kCurve, smooth((std::abs(y - curve(x)) / std::hypot(1, slope) - 1.8) * s));
      for (const double at : {22.0, 42.0}) over(kPoint, smooth((std::hypot(x - at, y - 54) - 3.6) * s));
      std::uint8_t* pixel = &out[static_cast<std::size_t>(4 * (row * side + column))];
      pixel[0] = static_cast<std::uint8_t>(std::lround(color.r));
      pixel[1] = static_cast<std::uint8_t>(std::lround(color.g));
      pixel[2] = static_cast<std::uint8_t>(std::lround(color.b));
      pixel[3] = static_cast<std::uint8_t>(std::lround(255 * alpha));
    }
  return out;
}

}  // namespace pairs::gui
