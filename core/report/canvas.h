#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/report/geometry.h"
#include "core/report/style.h"

namespace pairs::chart {

// Interface for drawing a figure. Points from the top left; colors as 0xRRGGBB.
class Canvas {
 public:
  virtual ~Canvas() = default;
  // Everything up to end_group() belongs to a series ("line", "bars", ...) with this name; for formats that support
  // groups.
  virtual void begin_group(std::string_view kind, std::string_view name) = 0;
  virtual void end_group() = 0;
  virtual void begin_clip(const Rect& area) = 0;
  virtual void end_clip() = 0;
  virtual void polyline(std::span<const Point> points, const SeriesStyle& style) = 0;
  virtual void polygon(std::span<const Point> points, std::uint32_t color, double alpha) = 0;
  virtual void rectangle(const Rect& rect, std::uint32_t color, double alpha) = 0;
  virtual void circle(Point center, double radius, std::uint32_t color, double alpha) = 0;
  // rgb row by row from the top; pixels stay sharp.
  virtual void image(const Rect& rect, std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb) = 0;
  // Draws one line of text, centered at `at` by the height of its capital letters. anchor 0, 0.5, 1: `at` is its left,
  // center, right.
  virtual void text(std::string_view text, Point at, double size, bool bold, double anchor, bool upright,
                    std::uint32_t color) = 0;
};

}  // namespace pairs::chart
